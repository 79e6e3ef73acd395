import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/portal-payouts.tsx';
import { PORTAL_PAYOUTS } from '../../api/portal-requests.ts';
import type { PortalPayout } from '../../api/types.ts';
import { formatCount } from '../../format/number.ts';
import { Button } from '../../ui/controls.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Status } from '../../ui/state.tsx';
import { StatusFilter } from '../../ui/status-filter.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { useList } from '../../ui/use-list.ts';
import { Money, Time } from '../../ui/values.tsx';
import { useEnrollment } from '../enrollment.ts';
import { NotEarning } from '../states.tsx';

const PAYOUT_STATUSES = ['pending', 'paid', 'cancelled'] as const;

/** The payouts of the partner in a program. */
export function PortalPayouts(): JSX.Element {
  const { query, page } = useEnrollment();
  const { filters, isFiltered, count, clear } = useFilters(['status']);
  const payouts = useList<PortalPayout>(PORTAL_PAYOUTS, { ...filters, ...query });
  return (
    <Page
      title={common.payouts}
      actions={<CsvLink path={`${PORTAL_PAYOUTS}.csv`} query={{ ...filters, ...query }} />}
    >
      <div class="stack">
        <NotEarning />
        <Filters count={count}>
          <StatusFilter statuses={PAYOUT_STATUSES} />
        </Filters>
        <Table
          label={common.payouts}
          columns={columnsOf(page)}
          {...payouts}
          empty={
            isFiltered ? (
              <Empty action={<Button onClick={clear}>{common.clearFilters}</Button>}>
                {messages.noMatch}
              </Empty>
            ) : (
              <Empty
                action={
                  <Link to="/partner/payout-details" button="normal">
                    {messages.toDetails}
                  </Link>
                }
              >
                {messages.none}
              </Empty>
            )
          }
        />
      </div>
    </Page>
  );
}

function columnsOf(page: string): readonly Column<PortalPayout>[] {
  return [
    {
      title: common.payout,
      cell: ({ id, reference }) => (
        <>
          <Link to={`${page}/payouts/${id}`}>#{id}</Link>
          {reference !== null && <span class="sub">{reference}</span>}
        </>
      ),
    },
    { title: common.status, cell: ({ status }) => <Status status={status} /> },
    { title: common.created, cell: ({ created_at }) => <Time at={created_at} dateOnly /> },
    { title: messages.paidOn, cell: ({ paid_at }) => <Time at={paid_at} dateOnly /> },
    {
      title: common.commissions,
      align: 'end',
      cell: ({ commissions }) => formatCount(commissions),
    },
    {
      title: common.amount,
      align: 'end',
      size: 'main',
      cell: ({ amount_cents, currency }) => <Money cents={amount_cents} currency={currency} />,
    },
    {
      title: '',
      cell: ({ id, status }) =>
        status === 'paid' && (
          <Link to={`${page}/payouts/${id}/receipt`} label={messages.receiptTitle(id)}>
            {messages.receipt}
          </Link>
        ),
    },
  ];
}
