import type { JSX } from 'preact';
import * as messages from '#messages/payout-batches.ts';
import type { ConfirmedRun, ListReply, PayoutRun } from '../../api/types.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { formatList } from '../../format/list.ts';
import { formatMoney } from '../../format/money.ts';
import { formatMonth } from '../../format/time.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { useToast } from '../../ui/toast.tsx';

/** The payouts that the schedule proposes, until an owner decides. */
export function ProposedRun(): JSX.Element | null {
  const { api, may } = useProgram();
  const toast = useToast();
  const { data } = useApi<ListReply<PayoutRun>>(`${api}/payout-runs`, { pageSize: 1 });
  const { mutateAsync, isPending } = useChange<ConfirmedRun>(api);
  const run = data?.data[0];
  if (run?.status !== 'proposed') return null;
  const decide = async (verb: 'confirm' | 'dismiss') => {
    try {
      const reply = await mutateAsync({ method: 'POST', path: `${api}/payout-runs/${run.id}/${verb}` });
      if (verb === 'confirm') toast(messages.confirmed(reply.payouts.length));
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error));
    }
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
          <Button kind="primary" busy={isPending} onClick={() => void decide('confirm')}>
            {messages.confirm}
          </Button>
          <Button disabled={isPending} onClick={() => void decide('dismiss')}>
            {messages.dismiss}
          </Button>
        </span>
      )}
    </section>
  );
}
