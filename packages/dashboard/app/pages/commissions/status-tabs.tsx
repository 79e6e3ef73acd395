import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import * as messages from '#messages/commissions.ts';
import * as common from '#messages/common.ts';
import type { CommissionTotal } from '../../api/types.ts';
import { formatCount } from '../../format/number.ts';
import { useQueryState } from '../../ui/use-query-state.ts';
import { describeNetSums } from './net-amount.tsx';

type Totals = readonly CommissionTotal[] | undefined;

const TAB_STATUSES = ['pending', 'approved', 'paid', 'rejected', 'refunded', 'reversed'] as const;

/** A tab for each status, with the number of commissions. The tooltip shows their sum per currency. */
export function StatusTabs({ totals, inReview }: { totals: Totals; inReview: Totals }): JSX.Element {
  const [{ status = '', needs_approval = '' }] = useQueryState();
  const isPending = status === 'pending' && needs_approval === '';
  const pendingInReview = inReview?.filter((total) => total.status === 'pending') ?? [];
  return (
    <>
      <nav class="tabs" aria-label={common.status}>
        <Tab text={messages.all} rows={totals} isCurrent={status === '' && needs_approval === ''} />
        <Tab
          text={messages.needsApproval}
          needsApproval="1"
          rows={inReview}
          isCurrent={needs_approval !== ''}
        />
        {TAB_STATUSES.map((value) => (
          <Tab
            key={value}
            text={common.statuses[value]}
            status={value}
            rows={totals?.filter((total) => total.status === value)}
            isCurrent={status === value && needs_approval === ''}
          />
        ))}
      </nav>
      {isPending && pendingInReview.length > 0 && (
        <p class="quiet small">{messages.includesInReview(countOf(pendingInReview))}</p>
      )}
    </>
  );
}

function countOf(rows: readonly CommissionTotal[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

function Tab({
  text,
  status = '',
  needsApproval = '',
  rows,
  isCurrent,
}: {
  text: string;
  status?: string;
  needsApproval?: string;
  rows: Totals;
  isCurrent: boolean;
}): JSX.Element {
  const [query] = useQueryState();
  const { path } = useLocation();
  const parameters = new URLSearchParams(
    Object.entries({ ...query, status, needs_approval: needsApproval, page: '' }).filter(
      ([, value]) => value,
    ),
  );
  return (
    <a
      href={parameters.size === 0 ? path : `${path}?${parameters}`}
      aria-current={isCurrent ? 'true' : undefined}
      title={rows && rows.length > 0 ? describeNetSums(rows) : undefined}
    >
      {text}
      <span class="count">{rows && formatCount(countOf(rows))}</span>
    </a>
  );
}
