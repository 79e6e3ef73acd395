import type { ComponentChildren, JSX } from 'preact';
import type { Commission, ListReply, Payout } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { formatCount } from '../../format/number.ts';
import { type ProgramView, useProgram } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { Status } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Money, Time } from '../../ui/values.tsx';
import { NetAmount } from '../commissions/net-amount.tsx';

const SHOWN = 5;

/** The latest commissions of the partner. */
export function RecentCommissions({ partnerId }: { partnerId: string }): JSX.Element | null {
  const view = useProgram();
  const reply = useApi<ListReply<Commission>>(
    `${view.api}/commissions`,
    { partner_id: partnerId, pageSize: SHOWN },
    { enabled: view.may('commission:list') },
  );
  if (!view.may('commission:list')) return null;
  return (
    <Recent
      title="Commissions"
      all={`${view.page}/commissions?partner_id=${partnerId}`}
      total={reply.data?.meta.pagination.total}
    >
      <Table
        label="Latest commissions"
        columns={commissionColumns(view)}
        rows={reply.data?.data}
        loadingRows={SHOWN}
        error={reply.error}
        onRetry={() => void reply.refetch()}
        empty="No commissions yet. The first sale of a customer who came through this partner shows up here."
      />
    </Recent>
  );
}

function commissionColumns({ page }: ProgramView): readonly Column<Commission>[] {
  return [
    {
      title: 'Sale',
      cell: ({ id, transaction_id }) => (
        <Link to={`${page}/why?q=${encodeURIComponent(`#${id}`)}`}>{transaction_id}</Link>
      ),
    },
    { title: 'Status', cell: ({ status }) => <Status status={status} /> },
    { title: 'Date', cell: ({ commission_date }) => <Time at={commission_date} /> },
    {
      title: 'Sale amount',
      align: 'end',
      cell: ({ sale_amount_cents, currency }) => <Money cents={sale_amount_cents} currency={currency} />,
    },
    { title: 'Commission', align: 'end', cell: (commission) => <NetAmount commission={commission} /> },
  ];
}

/** The latest payouts of the partner. */
export function RecentPayouts({ partnerId }: { partnerId: string }): JSX.Element | null {
  const view = useProgram();
  const reply = useApi<ListReply<Payout>>(
    `${view.api}/payouts`,
    { partner_id: partnerId, pageSize: SHOWN },
    { enabled: view.may('payout:list') },
  );
  if (!view.may('payout:list')) return null;
  return (
    <Recent
      title="Payouts"
      all={`${view.page}/payouts?partner_id=${partnerId}`}
      total={reply.data?.meta.pagination.total}
    >
      <Table
        label="Latest payouts"
        columns={PAYOUT_COLUMNS}
        rows={reply.data?.data}
        loadingRows={1}
        error={reply.error}
        onRetry={() => void reply.refetch()}
        empty="No payouts yet."
      />
    </Recent>
  );
}

const PAYOUT_COLUMNS: readonly Column<Payout>[] = [
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} dateOnly /> },
  { title: 'Status', cell: ({ status }) => <Status status={status} /> },
  { title: 'Paid', cell: ({ paid_at }) => <Time at={paid_at} dateOnly /> },
  { title: 'Reference', cell: ({ reference }) => reference ?? <span class="quiet">–</span> },
  { title: 'Commissions', align: 'end', cell: ({ commissions }) => formatCount(commissions) },
  {
    title: 'Amount',
    align: 'end',
    cell: ({ amount_cents, currency }) => <Money cents={amount_cents} currency={currency} />,
  },
];

function Recent({
  title,
  all,
  total,
  children,
}: {
  title: string;
  all: string;
  total: number | undefined;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section aria-label={title}>
      <div class="row apart section-title">
        <h2>{title}</h2>
        {total !== undefined && total > SHOWN && <Link to={all}>All {formatCount(total)}</Link>}
      </div>
      {children}
    </section>
  );
}
