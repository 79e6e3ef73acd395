import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/partner.tsx';
import * as payoutMessages from '#messages/payouts.ts';
import type { Commission, ListReply, Payout } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { formatCount } from '../../format/number.ts';
import { type ProgramView, useProgram } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { Status } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Money, Time } from '../../ui/values.tsx';
import { CommissionStatus } from '../commissions/commission-status.tsx';
import { NetAmount } from '../commissions/net-amount.tsx';
import { whyCommission } from '../why/why-path.ts';

const RECENT_ROWS = 5;

/** The latest commissions of the partner. */
export function RecentCommissions({ partnerId }: { partnerId: string }): JSX.Element | null {
  const view = useProgram();
  if (!view.may('commission:list')) return null;
  return (
    <Recent<Commission>
      title={common.commissions}
      label={messages.latestCommissions}
      list="commissions"
      partnerId={partnerId}
      columns={commissionColumns(view)}
      loadingRows={RECENT_ROWS}
      empty={messages.noCommissions}
    />
  );
}

function commissionColumns({ page }: ProgramView): readonly Column<Commission>[] {
  return [
    {
      title: common.sale,
      cell: ({ id, transaction_id }) => (
        <Link to={whyCommission(page, id)} whole={transaction_id}>
          {transaction_id}
        </Link>
      ),
    },
    { title: common.status, cell: (commission) => <CommissionStatus commission={commission} /> },
    { title: common.date, cell: ({ commission_date }) => <Time at={commission_date} /> },
    {
      title: common.saleAmount,
      align: 'end',
      cell: ({ sale_amount_cents, sale_currency }) => (
        <Money cents={sale_amount_cents} currency={sale_currency} />
      ),
    },
    {
      title: common.commission,
      align: 'end',
      size: 'main',
      cell: (commission) => <NetAmount commission={commission} />,
    },
  ];
}

/** The latest payouts of the partner. */
export function RecentPayouts({ partnerId }: { partnerId: string }): JSX.Element | null {
  const { may } = useProgram();
  if (!may('payout:list')) return null;
  return (
    <Recent<Payout>
      title={common.payouts}
      label={messages.latestPayouts}
      list="payouts"
      partnerId={partnerId}
      columns={PAYOUT_COLUMNS}
      loadingRows={1}
      empty={messages.noPayouts}
    />
  );
}

const PAYOUT_COLUMNS: readonly Column<Payout>[] = [
  { title: common.created, cell: ({ created_at }) => <Time at={created_at} dateOnly /> },
  { title: common.status, cell: ({ status }) => <Status status={status} /> },
  { title: payoutMessages.paidOn, cell: ({ paid_at }) => <Time at={paid_at} dateOnly /> },
  { title: payoutMessages.reference, cell: ({ reference }) => reference ?? <span class="quiet">–</span> },
  { title: common.commissions, align: 'end', cell: ({ commissions }) => formatCount(commissions) },
  {
    title: common.amount,
    align: 'end',
    size: 'main',
    cell: ({ amount_cents, currency }) => <Money cents={amount_cents} currency={currency} />,
  },
];

/** The latest rows of a list, with a link to the whole list. */
function Recent<Row extends { readonly id: number }>({
  title,
  list,
  partnerId,
  ...table
}: {
  title: string;
  label: string;
  /** The last part of the path. It is the same for the API route and for the page. */
  list: string;
  partnerId: string;
  columns: readonly Column<Row>[];
  loadingRows: number;
  empty: string;
}): JSX.Element {
  const { api, page } = useProgram();
  const { data, error, refetch } = useApi<ListReply<Row>>(`${api}/${list}`, {
    partner_id: partnerId,
    pageSize: RECENT_ROWS,
  });
  const total = data?.meta.pagination.total ?? 0;
  return (
    <section aria-label={title}>
      <div class="row apart section-title">
        <h2>{title}</h2>
        {total > RECENT_ROWS && (
          <Link to={`${page}/${list}?partner_id=${partnerId}`}>{messages.all(formatCount(total))}</Link>
        )}
      </div>
      <Table {...table} rows={data?.data} error={error} onRetry={() => void refetch()} />
    </section>
  );
}
