import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ListReply, Payout } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { formatCount } from '../../format/number.ts';
import { type ProgramView, useProgram } from '../../session/session.tsx';
import { Button, Select } from '../../ui/controls.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { PartnerFilter } from '../../ui/partner-field.tsx';
import { Empty, Status } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Money, Time } from '../../ui/values.tsx';
import { CreatePayouts } from './create-payouts.tsx';
import { MarkPaid } from './mark-paid.tsx';
import { PayoutActions } from './payout-actions.tsx';

const PAGE_SIZE = 25;
const HASH_SHOWN = 8;
const STATUSES = [
  { value: '', text: 'All statuses' },
  { value: 'pending', text: 'Pending' },
  { value: 'paid', text: 'Paid' },
  { value: 'cancelled', text: 'Cancelled' },
] as const;

/** The payouts of a program: preview, create, mark as paid. */
export function Payouts(): JSX.Element {
  const view = useProgram();
  const [query, change] = useQueryState();
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [isPaying, setPaying] = useState(false);
  const { status = '', page, partner_id } = query;
  // In the URL, so that a link can open the dialog.
  const isCreating = query['pay'] === '1' && view.may('payout:create');
  const setCreating = (isOpen: boolean) => change({ pay: isOpen ? '1' : '' });
  const path = `${view.api}/payouts`;
  const payouts = useApi<ListReply<Payout>>(path, { status, partner_id, page, pageSize: PAGE_SIZE });
  const rows = payouts.data?.data;
  const chosen = rows?.filter((row) => selected.has(row.id)) ?? [];
  const payable = chosen.filter((row) => row.status === 'pending');
  const create = view.may('payout:create') && (
    <Button kind="primary" onClick={() => setCreating(true)}>
      Pay partners
    </Button>
  );
  return (
    <Page
      title="Payouts"
      actions={
        <>
          <CsvLink path={`${path}.csv`} query={{ status, partner_id }} />
          {create}
        </>
      }
    >
      <div class="stack">
        <div class="filters">
          <Select
            label="Status"
            value={status}
            choices={STATUSES}
            onChange={(value) => change({ status: value })}
          />
          {view.may('partner:list') && (
            <PartnerFilter value={partner_id ?? ''} onChange={(id) => change({ partner_id: id })} />
          )}
        </div>
        {selected.size > 0 && (
          <div class="bulk" role="toolbar" aria-label="Selected rows">
            <span>{formatCount(selected.size)} selected</span>
            <Button disabled={payable.length === 0} onClick={() => setPaying(true)}>
              Mark {formatCount(payable.length)} as paid
            </Button>
            <Button kind="plain" onClick={() => setSelected(new Set())}>
              Clear
            </Button>
          </div>
        )}
        <Table
          label="Payouts"
          columns={columnsOf(view)}
          rows={rows}
          {...(view.may('payout:update') && { selection: { ids: selected, onChange: setSelected } })}
          error={payouts.error}
          onRetry={() => void payouts.refetch()}
          pagination={payouts.data?.meta.pagination}
          empty={
            status === '' && partner_id === undefined ? (
              <Empty action={create}>
                No payouts yet. A payout collects what a partner can be paid now, in one currency.
              </Empty>
            ) : (
              <Empty
                action={
                  <Button onClick={() => change({ status: '', partner_id: '' })}>Clear the filters</Button>
                }
              >
                No payout matches these filters.
              </Empty>
            )
          }
        />
      </div>
      {isCreating && <CreatePayouts onClose={() => setCreating(false)} />}
      {isPaying && (
        <MarkPaid
          payouts={payable}
          onClose={() => {
            setPaying(false);
            setSelected(new Set());
          }}
        />
      )}
    </Page>
  );
}

function columnsOf(view: ProgramView): readonly Column<Payout>[] {
  return [
    {
      title: 'Partner',
      cell: ({ partner_id, partner_name, partner_email }) => (
        <>
          <Link to={`${view.page}/partners/${partner_id}`}>{partner_name}</Link>
          <span class="sub">{partner_email}</span>
        </>
      ),
    },
    { title: 'Status', cell: ({ status }) => <Status status={status} /> },
    {
      title: 'Amount',
      align: 'end',
      cell: ({ amount_cents, currency }) => <Money cents={amount_cents} currency={currency} />,
    },
    { title: 'Commissions', align: 'end', cell: ({ commissions }) => formatCount(commissions) },
    { title: 'Created', cell: ({ created_at }) => <Time at={created_at} dateOnly /> },
    {
      title: 'Paid',
      cell: ({ paid_at, reference }) => (
        <>
          <Time at={paid_at} dateOnly />
          {reference !== null && <span class="sub">{reference}</span>}
        </>
      ),
    },
    {
      title: 'Ledger',
      cell: ({ ledger_hash, ledger_position }) =>
        ledger_hash === null ? (
          <span class="quiet">Not sealed yet</span>
        ) : (
          <code title={`Entry ${ledger_position}: ${ledger_hash}`}>{ledger_hash.slice(0, HASH_SHOWN)}…</code>
        ),
    },
    ...(view.may('payout:update')
      ? [{ title: '', cell: (payout: Payout) => <PayoutActions payout={payout} /> }]
      : []),
  ];
}
