import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/payout-batches.ts';
import type { ListReply, PayoutRun } from '../../api/types.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { formatList } from '../../format/list.ts';
import { formatMoney } from '../../format/money.ts';
import { formatMonth } from '../../format/time.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { CreatePayouts } from './create-payouts.tsx';

/** The payouts that the schedule proposes, until an owner decides. */
export function ProposedRun(): JSX.Element | null {
  const { api, may } = useProgram();
  const toast = useToast();
  const { data } = useApi<ListReply<PayoutRun>>(`${api}/payout-runs`, { pageSize: 1 });
  const { mutateAsync } = useChange(api);
  const [open, setOpen] = useState<'confirm' | 'dismiss' | null>(null);
  const run = data?.data[0];
  if (run?.status !== 'proposed') return null;
  const month = formatMonth(run.month);
  const close = () => setOpen(null);
  const dismiss = async () => {
    await mutateAsync({ method: 'POST', path: `${api}/payout-runs/${run.id}/dismiss` });
    toast(messages.dismissed(month));
  };
  const sums = run.totals.map(({ amount_cents, currency }) => formatMoney(amount_cents, currency));
  const count = run.totals.reduce((sum, { payouts }) => sum + payouts, 0);
  const text = messages.due(month, formatList(sums), count);
  return (
    <section class="notice" aria-label={text}>
      <span>
        {text} {may('payout:confirm') ? messages.dueNow : messages.ownerConfirms}
      </span>
      {may('payout:confirm') && (
        <span class="row">
          <Button kind="primary" onClick={() => setOpen('confirm')}>
            {messages.confirmWithDialog}
          </Button>
          <Button onClick={() => setOpen('dismiss')}>{messages.dismissWithDialog}</Button>
        </span>
      )}
      {open === 'confirm' && <CreatePayouts title={messages.confirm} run={run} onClose={close} />}
      {open === 'dismiss' && (
        <FormDialog
          title={messages.dismissTitle(month)}
          submit={messages.dismiss}
          onSubmit={dismiss}
          onClose={close}
        >
          <p>{messages.dismissWarning}</p>
        </FormDialog>
      )}
    </section>
  );
}
