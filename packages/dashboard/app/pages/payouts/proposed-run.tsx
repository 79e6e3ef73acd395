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
import { useToast } from '../../ui/toast.tsx';
import { CreatePayouts } from './create-payouts.tsx';

/** The payouts that the schedule proposes, until an owner decides. */
export function ProposedRun(): JSX.Element | null {
  const { api, may } = useProgram();
  const toast = useToast();
  const { data } = useApi<ListReply<PayoutRun>>(`${api}/payout-runs`, { pageSize: 1 });
  const { mutateAsync, isPending } = useChange(api);
  const [isConfirming, setConfirming] = useState(false);
  const run = data?.data[0];
  if (run?.status !== 'proposed') return null;
  const dismiss = () => {
    const path = `${api}/payout-runs/${run.id}/dismiss`;
    mutateAsync({ method: 'POST', path }).catch((error: Error) => toast(error.message));
  };
  const sums = run.totals.map(({ amount_cents, currency }) => formatMoney(amount_cents, currency));
  const count = run.totals.reduce((sum, { payouts }) => sum + payouts, 0);
  const text = messages.due(formatMonth(run.month), formatList(sums), count);
  return (
    <section class="notice" aria-label={text}>
      <span>
        {text} {may('payout:confirm') ? messages.dueNow : messages.ownerConfirms}
      </span>
      {may('payout:confirm') && (
        <span class="row">
          <Button kind="primary" onClick={() => setConfirming(true)}>
            {messages.confirmWithDialog}
          </Button>
          <Button busy={isPending} onClick={dismiss}>
            {messages.dismiss}
          </Button>
        </span>
      )}
      {isConfirming && (
        <CreatePayouts title={messages.confirm} run={run} onClose={() => setConfirming(false)} />
      )}
    </section>
  );
}
