import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/portal-earnings.ts';
import type { CommissionTotal } from '../../api/types.ts';
import { netSumsOf } from '../../ui/net-sums.ts';
import { Skeleton } from '../../ui/state.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Amounts } from '../../ui/values.tsx';

type Status = CommissionTotal['status'];

const ALWAYS: readonly Status[] = ['pending', 'approved', 'paid'];
const IF_ANY: readonly Status[] = ['refunded', 'reversed', 'rejected'];

/** A link for each status, with the number of commissions and their sum in each currency. The links filter the list. */
export function StatusStrip({
  totals,
  currency,
}: {
  totals: readonly CommissionTotal[] | undefined;
  currency: string;
}): JSX.Element {
  const [query] = useQueryState();
  const { path } = useLocation();
  const { status: chosen = '' } = query;
  const shown = [
    ...ALWAYS,
    ...IF_ANY.filter((status) => status === chosen || totals?.some((total) => total.status === status)),
  ];
  const linkTo = (status: string) => {
    const next = Object.entries({ ...query, status, page: '' }).filter(([, value]) => value !== '');
    return next.length === 0 ? path : `${path}?${new URLSearchParams(next)}`;
  };
  return (
    <nav class="measures whole" aria-label={messages.totals} aria-busy={totals === undefined}>
      {shown.map((status) => {
        const rows = totals?.filter((total) => total.status === status) ?? [];
        const count = rows.reduce((sum, row) => sum + row.count, 0);
        const isChosen = status === chosen;
        return (
          <a
            key={status}
            class="measure"
            href={linkTo(isChosen ? '' : status)}
            aria-current={isChosen ? 'true' : undefined}
          >
            <span class="quiet">{common.statuses[status]}</span>
            <span class="value">
              {totals ? (
                <Amounts amounts={netSumsOf(rows)} currency={currency} />
              ) : (
                <Skeleton width="72px" height="20px" />
              )}
            </span>
            <span class="trend">
              {totals ? messages.countOf(count) : <Skeleton width="48px" height="12px" />}
            </span>
          </a>
        );
      })}
    </nav>
  );
}
