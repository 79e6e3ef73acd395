import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/payout-runs.ts';
import { payableNow } from '../../api/payable-now.ts';
import type { ListReply, PayoutRun } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { formatList } from '../../format/list.ts';
import { formatMoney } from '../../format/money.ts';
import { formatMonth } from '../../format/time.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { useOverlay } from '../../ui/use-overlay.tsx';
import { CreatePayouts } from './create-payouts.tsx';

const loadDismissRun = () => import('./dismiss-run.tsx').then((module) => module.DismissRun);

/** The latest payouts that the schedule proposed. Shown until an owner decides. */
export function ProposedRun(): JSX.Element | null {
  const { api } = useProgram();
  const { data } = useApi<ListReply<PayoutRun>>(`${api}/payout-runs`, { pageSize: 1 });
  const run = data?.data[0];
  return run?.status === 'proposed' ? <Proposal run={run} /> : null;
}

/** A proposal stores the amounts payable at its creation. Some may be in payouts now, so show the current amounts. */
function Proposal({ run }: { run: PayoutRun }): JSX.Element | null {
  const { api, may } = useProgram();
  const { data, isPending } = useQuery(payableNow(api));
  const [isOpen, setOpen] = useState(false);
  const month = formatMonth(run.month);
  const [dismissing, dismiss] = useOverlay(loadDismissRun, { id: run.id, month });
  if (isPending) return null;
  const totals = data?.meta.totals;
  const isEmpty = totals?.length === 0;
  const sums = totals?.map(({ amount_cents, currency }) => formatMoney(amount_cents, currency)) ?? [];
  const count = totals?.reduce((sum, { payouts }) => sum + payouts, 0) ?? 0;
  const text = isEmpty ? messages.nothingDue(month) : messages.due(month, formatList(sums), count);
  const mayConfirm = may('payout:confirm');
  return (
    <section class="notice" aria-label={text}>
      <span>
        {text} {!isEmpty && (mayConfirm ? messages.dueNow : messages.ownerConfirms)}
      </span>
      {mayConfirm && (
        <span class="row">
          {!isEmpty && (
            <Button kind="primary" onClick={() => setOpen(true)}>
              {messages.confirm}
            </Button>
          )}
          <Button onClick={dismiss}>{messages.dismiss}</Button>
        </span>
      )}
      {isOpen && <CreatePayouts title={messages.confirm} run={run} onClose={() => setOpen(false)} />}
      {dismissing}
    </section>
  );
}
