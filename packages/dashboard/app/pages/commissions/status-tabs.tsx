import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import * as messages from '#messages/commissions.tsx';
import * as common from '#messages/common.ts';
import type { CommissionTotal } from '../../api/types.ts';
import { formatList } from '../../format/list.ts';
import { formatMoney } from '../../format/money.ts';
import { formatCount } from '../../format/number.ts';
import { useQueryState } from '../../ui/use-query-state.ts';

const TAB_STATUSES = ['', 'pending', 'approved', 'paid', 'rejected', 'refunded', 'reversed'] as const;

/** One tab per status, with the number of commissions, and their sum in each currency as its title. */
export function StatusTabs({ totals }: { totals: readonly CommissionTotal[] | undefined }): JSX.Element {
  const [query] = useQueryState();
  const { path } = useLocation();
  const current = query['status'] ?? '';
  return (
    <nav class="tabs" aria-label={common.status}>
      {TAB_STATUSES.map((status) => {
        const rows = totals?.filter((total) => status === '' || total.status === status);
        const parameters = new URLSearchParams({ ...query, status });
        parameters.delete('page');
        if (status === '') parameters.delete('status');
        const search = parameters.toString();
        return (
          <a
            key={status}
            href={search === '' ? path : `${path}?${search}`}
            aria-current={current === status ? 'true' : undefined}
            title={rows && rows.length > 0 ? describeSums(rows) : undefined}
          >
            {status === '' ? messages.all : common.statuses[status]}
            <span class="count">{rows && formatCount(rows.reduce((sum, { count }) => sum + count, 0))}</span>
          </a>
        );
      })}
    </nav>
  );
}

/** `$120.00 and €14.50`: sums of what is left, one per currency. */
function describeSums(rows: readonly CommissionTotal[]): string {
  const sums = new Map<string, number>();
  for (const { currency, amount_cents, deducted_cents, adjusted_cents } of rows) {
    const net = amount_cents - deducted_cents + adjusted_cents;
    sums.set(currency, (sums.get(currency) ?? 0) + net);
  }
  return formatList([...sums].map(([currency, cents]) => formatMoney(cents, currency)));
}
