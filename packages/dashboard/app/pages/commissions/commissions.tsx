import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/commissions.ts';
import type { Commission, CommissionTotal, ItemReply, ListReply } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { type ProgramView, useProgram } from '../../session/session.tsx';
import { type BulkAction, BulkBar } from '../../ui/bulk-bar.tsx';
import { Button } from '../../ui/controls.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { DateRange } from '../../ui/date-range.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { PartnerFilter } from '../../ui/partner-field.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Badge, Empty, Status } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Money, Time } from '../../ui/values.tsx';
import { CommissionActions } from './commission-actions.tsx';
import { NetAmount } from './net-amount.tsx';
import { StatusTabs } from './status-tabs.tsx';

const PAGE_SIZE = 25;
const BULK_ACTIONS: readonly BulkAction[] = [
  { action: 'approve', text: messages.approve, done: messages.approved },
  { action: 'reject', text: messages.reject, done: messages.rejected, warning: messages.rejectWarning },
];

/** The commissions of a program. */
export function Commissions(): JSX.Element {
  const view = useProgram();
  const [query, change] = useQueryState();
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const { q, status, partner_id, needs_approval, dateFrom, dateTo, sort, order, page } = query;
  const filters = { q, partner_id, needs_approval, dateFrom, dateTo };
  const path = `${view.api}/commissions`;
  const commissions = useApi<ListReply<Commission>>(path, {
    ...filters,
    status,
    sort,
    order,
    page,
    pageSize: PAGE_SIZE,
  });
  const totals = useApi<ItemReply<readonly CommissionTotal[]>>(`${path}/totals`, filters);
  const rows = commissions.data?.data;
  const isFiltered = [q, status, partner_id, needs_approval, dateFrom, dateTo].some(
    (value) => value !== undefined,
  );
  return (
    <Page title="Commissions" actions={<CsvLink path={`${path}.csv`} query={{ ...filters, status }} />}>
      <div class="stack">
        <StatusTabs totals={totals.data?.data} />
        <div class="filters">
          <SearchField label="Search commissions" placeholder="Start of a transaction id" />
          {view.may('partner:list') && (
            <PartnerFilter value={partner_id ?? ''} onChange={(id) => change({ partner_id: id })} />
          )}
          <DateRange />
          {needs_approval !== undefined && (
            <Button icon="close" onClick={() => change({ needs_approval: '' })}>
              Needs approval
            </Button>
          )}
        </div>
        <BulkBar
          ids={selected}
          onDone={() => setSelected(new Set())}
          path={`${path}/bulk`}
          refresh={view.api}
          actions={BULK_ACTIONS}
          title={messages.bulkTitle}
          nameOf={(id) => rows?.find((row) => row.id === id)?.transaction_id ?? `Commission ${id}`}
        />
        <Table
          label="Commissions"
          columns={columnsOf(view)}
          rows={rows}
          {...(view.may('commission:update') && { selection: { ids: selected, onChange: setSelected } })}
          error={commissions.error}
          onRetry={() => void commissions.refetch()}
          pagination={commissions.data?.meta.pagination}
          empty={
            isFiltered ? (
              <Empty
                action={
                  <Button
                    onClick={() =>
                      change({
                        q: '',
                        status: '',
                        partner_id: '',
                        needs_approval: '',
                        dateFrom: '',
                        dateTo: '',
                      })
                    }
                  >
                    Clear the filters
                  </Button>
                }
              >
                No commission matches these filters.
              </Empty>
            ) : (
              'No commissions yet. The first sale of a customer who came through a partner shows up here.'
            )
          }
        />
      </div>
    </Page>
  );
}

function columnsOf(view: ProgramView): readonly Column<Commission>[] {
  return [
    {
      title: 'Sale',
      cell: (commission) => (
        <>
          <Link to={`${view.page}/why?q=${encodeURIComponent(`#${commission.id}`)}`}>
            {commission.transaction_id}
          </Link>
          <span class="sub">{commission.partner_name}</span>
        </>
      ),
    },
    {
      title: 'Status',
      cell: ({ status, disputed, needs_approval }) => (
        <span class="row">
          <Status status={status} />
          {disputed && <Badge tone="warn">Disputed</Badge>}
          {needs_approval && status === 'pending' && <Badge tone="info">Needs approval</Badge>}
        </span>
      ),
    },
    {
      title: 'Sale amount',
      align: 'end',
      cell: ({ sale_amount_cents, currency }) => <Money cents={sale_amount_cents} currency={currency} />,
    },
    {
      title: 'Commission',
      align: 'end',
      sort: 'amount_cents',
      cell: (commission) => <NetAmount commission={commission} />,
    },
    { title: 'Date', sort: 'commission_date', cell: ({ commission_date }) => <Time at={commission_date} /> },
    {
      title: 'Payable from',
      cell: ({ releasable_at, status }) => <Time at={status === 'pending' ? releasable_at : null} dateOnly />,
    },
    ...(view.may('commission:update')
      ? [{ title: '', cell: (commission: Commission) => <CommissionActions commission={commission} /> }]
      : []),
  ];
}
