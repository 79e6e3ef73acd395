import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ListReply, Partner } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { formatCount } from '../../format/number.ts';
import { type ProgramView, useProgram } from '../../session/session.tsx';
import { type BulkAction, BulkBar } from '../../ui/bulk-bar.tsx';
import { Button, Select } from '../../ui/controls.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Status } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Amounts } from '../../ui/values.tsx';
import { InvitePartner } from './invite-partner.tsx';
import { PartnerActions } from './partner-actions.tsx';

const PAGE_SIZE = 25;
const STATUSES = [
  { value: '', text: 'All statuses' },
  { value: 'pending', text: 'Pending' },
  { value: 'approved', text: 'Approved' },
  { value: 'rejected', text: 'Rejected' },
  { value: 'banned', text: 'Banned' },
] as const;

const BULK_ACTIONS: readonly BulkAction[] = [
  { action: 'approve', text: 'Approve', done: 'approved' },
  { action: 'reject', text: 'Reject', done: 'rejected' },
  {
    action: 'ban',
    text: 'Ban',
    done: 'banned',
    warning: 'Their links stop recording clicks, and new sales of their customers earn no commission.',
  },
];

/** The partners of a program. */
export function Partners(): JSX.Element {
  const view = useProgram();
  const [query, change] = useQueryState();
  const [isInviting, setInviting] = useState(false);
  const { q = '', status = '', sort, order, page } = query;
  const partners = useApi<ListReply<Partner>>(`${view.api}/partners`, {
    q,
    status,
    sort,
    order,
    page,
    pageSize: PAGE_SIZE,
  });
  const rows = partners.data?.data;
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const invite = view.may('partner:create') && (
    <Button kind="primary" onClick={() => setInviting(true)}>
      Invite a partner
    </Button>
  );
  const isFiltered = q !== '' || status !== '';
  return (
    <Page
      title="Partners"
      actions={
        <>
          <CsvLink path={`${view.api}/partners.csv`} query={{ q, status, sort, order }} />
          {view.may('partner:create') && (
            <Link to={`${view.page}/partners/import`} button="normal">
              Import
            </Link>
          )}
          {invite}
        </>
      }
    >
      <div class="stack">
        <div class="filters">
          <SearchField label="Search partners" placeholder="Name, email or code" />
          <Select
            label="Status"
            value={status}
            choices={STATUSES}
            onChange={(value) => change({ status: value })}
          />
        </div>
        <BulkBar
          ids={selected}
          onDone={() => setSelected(new Set())}
          path={`${view.api}/partners/bulk`}
          refresh={view.api}
          actions={BULK_ACTIONS}
          noun="partners"
          nameOf={(id) => rows?.find((row) => row.id === id)?.name ?? `Partner ${id}`}
        />
        <Table
          label="Partners"
          columns={columnsOf(view)}
          rows={rows}
          {...(view.may('partner:update') && { selection: { ids: selected, onChange: setSelected } })}
          error={partners.error}
          onRetry={() => void partners.refetch()}
          pagination={partners.data?.meta.pagination}
          empty={
            isFiltered ? (
              <Empty
                action={<Button onClick={() => change({ q: '', status: '' })}>Clear the filters</Button>}
              >
                No partner matches these filters.
              </Empty>
            ) : (
              <Empty action={invite}>No partners yet. Invite the first one; they get a link to share.</Empty>
            )
          }
        />
      </div>
      {isInviting && <InvitePartner onClose={() => setInviting(false)} />}
    </Page>
  );
}

function columnsOf(view: ProgramView): readonly Column<Partner>[] {
  const { currency } = view.program;
  return [
    {
      title: 'Partner',
      sort: 'name',
      firstOrder: 'asc',
      cell: (partner) => (
        <>
          <Link to={`${view.page}/partners/${partner.id}`}>{partner.name}</Link>
          <span class="sub">{partner.email}</span>
        </>
      ),
    },
    { title: 'Status', cell: ({ status }) => <Status status={status} /> },
    { title: 'Clicks', align: 'end', sort: 'clicks', cell: ({ clicks }) => formatCount(clicks) },
    { title: 'Sign-ups', align: 'end', sort: 'leads', cell: ({ leads }) => formatCount(leads) },
    {
      title: 'Customers',
      align: 'end',
      sort: 'conversions',
      cell: ({ conversions }) => formatCount(conversions),
    },
    {
      title: 'Payable',
      align: 'end',
      cell: ({ balances }) => (
        <Amounts
          amounts={balances.map(({ currency: code, payable_cents }) => ({
            currency: code,
            cents: payable_cents,
          }))}
          currency={currency}
        />
      ),
    },
    {
      title: 'Balance',
      sort: 'balance_cents',
      align: 'end',
      cell: ({ balances }) => (
        <Amounts
          amounts={balances.map(({ currency: code, balance_cents }) => ({
            currency: code,
            cents: balance_cents,
          }))}
          currency={currency}
        />
      ),
    },
    ...(view.may('partner:update')
      ? [
          {
            title: '',
            align: 'end' as const,
            cell: (partner: Partner) => <PartnerActions partner={partner} />,
          },
        ]
      : []),
  ];
}
