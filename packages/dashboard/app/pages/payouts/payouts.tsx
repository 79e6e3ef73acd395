import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as batches from '#messages/payout-batches.ts';
import * as messages from '#messages/payouts.ts';
import type { Payout } from '../../api/types.ts';
import { formatCount } from '../../format/number.ts';
import { type ProgramView, useProgram } from '../../session/session.tsx';
import { SelectionBar } from '../../ui/bulk-bar.tsx';
import { Button } from '../../ui/controls.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { DateRange } from '../../ui/date-range.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { PartnerFilter } from '../../ui/partner-field.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Status } from '../../ui/state.tsx';
import { StatusFilter } from '../../ui/status-filter.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { prefetchList, useList } from '../../ui/use-list.ts';
import { useOverlay } from '../../ui/use-overlay.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { useSelection } from '../../ui/use-selection.ts';
import { Money, Time } from '../../ui/values.tsx';
import { CreatePayouts } from './create-payouts.tsx';
import { loadMarkPaid } from './load-mark-paid.ts';
import { PayoutActions } from './payout-actions.tsx';
import { ProposedRun } from './proposed-run.tsx';

const loadMakeBatch = () => import('./make-batch.tsx').then((module) => module.MakeBatch);

const PAYOUT_STATUSES = ['pending', 'paid', 'cancelled'] as const;

const PAYOUT_FILTERS = ['q', 'status', 'partner_id', 'dateFrom', 'dateTo'];

/** The payouts of a program. Users can preview them, create them, and mark them as paid. */
export function Payouts(): JSX.Element {
  const view = useProgram();
  const [{ partner_id = '', pay, sort, order, page = '' }, change] = useQueryState();
  const { filters, isFiltered, count, clear } = useFilters(PAYOUT_FILTERS);
  const path = `${view.api}/payouts`;
  const payouts = useList<Payout>(path, filters);
  const [selected, setSelected] = useSelection(payouts.rows);
  // The state is in the URL, so that a link can open the dialog.
  const isCreating = pay === '1' && view.may('payout:create');
  // Opening adds an entry to the history, so the browser's Back button closes the dialog. The buttons of the
  // dialog replace this entry, so Back does not open the dialog again.
  const setCreating = (isOpen: boolean) => change({ pay: isOpen ? '1' : '', page }, !isOpen);
  const chosen = payouts.rows?.filter((row) => selected.has(row.id)) ?? [];
  const payable = chosen.filter((row) => row.status === 'pending');
  const sendable = payable.filter((row) => row.batch_id === null);
  const clearSelection = () => setSelected(new Set());
  const [making, make] = useOverlay(loadMakeBatch, { payouts: sendable, onMade: clearSelection });
  const [paying, markPaid] = useOverlay(loadMarkPaid, { payouts: payable, onDone: clearSelection });
  const create = view.may('payout:create') && (
    <Button kind="primary" onClick={() => setCreating(true)}>
      {messages.pay}
    </Button>
  );
  return (
    <Page
      title={common.payouts}
      error={payouts.error}
      actions={
        <>
          <CsvLink path={`${path}.csv`} query={{ ...filters, sort, order }} />
          <Link to={`${view.page}/payouts/files`} button="normal">
            {batches.title}
          </Link>
          {create}
        </>
      }
    >
      <div class="stack">
        <ProposedRun />
        <Filters
          search={<SearchField label={messages.search} placeholder={messages.searchExample} />}
          count={count}
        >
          <StatusFilter statuses={PAYOUT_STATUSES} />
          {view.may('partner:list') && (
            <PartnerFilter value={partner_id} onChange={(id) => change({ partner_id: id })} />
          )}
          <DateRange />
        </Filters>
        {selected.size > 0 && (
          <SelectionBar count={selected.size} onClear={clearSelection}>
            <Button disabled={payable.length === 0} onClick={markPaid}>
              {messages.markCount(payable.length)}
            </Button>
            {view.may('payout:create') && (
              <Button disabled={sendable.length === 0} onClick={make}>
                {messages.makeCount(sendable.length)}
              </Button>
            )}
          </SelectionBar>
        )}
        <Table
          label={common.payouts}
          columns={columnsOf(view)}
          {...payouts}
          {...(view.may('payout:update') && { selection: { ids: selected, onChange: setSelected } })}
          empty={
            isFiltered ? (
              <Empty action={<Button onClick={clear}>{common.clearFilters}</Button>}>
                {messages.noMatch}
              </Empty>
            ) : (
              <Empty action={create}>{messages.none}</Empty>
            )
          }
        />
      </div>
      {isCreating && <CreatePayouts title={messages.pay} onClose={() => setCreating(false)} />}
      {making}
      {paying}
    </Page>
  );
}

Payouts.prefetch = prefetchList('payouts', PAYOUT_FILTERS);

function columnsOf(view: ProgramView): readonly Column<Payout>[] {
  return [
    {
      title: common.partner,
      sort: 'partner_name',
      firstOrder: 'asc',
      cell: ({ partner_id, partner_name, partner_email }) => (
        <>
          <Link to={`${view.page}/partners/${partner_id}`}>{partner_name}</Link>
          <span class="sub line" title={partner_email}>
            {partner_email}
          </span>
        </>
      ),
    },
    {
      title: common.status,
      cell: ({ status, batch_id }) => (
        <>
          <Status status={status} />
          {batch_id !== null && (
            <span class="sub">
              <Link to={`${view.page}/payouts/files`}>{messages.inBatch(batch_id)}</Link>
            </span>
          )}
        </>
      ),
    },
    {
      title: common.created,
      sort: 'created_at',
      cell: ({ created_at }) => <Time at={created_at} dateOnly />,
    },
    {
      title: messages.paidOn,
      sort: 'paid_at',
      cell: ({ paid_at, reference }) => (
        <>
          <Time at={paid_at} dateOnly />
          {reference !== null && <span class="sub">{reference}</span>}
        </>
      ),
    },
    { title: common.commissions, align: 'end', cell: ({ commissions }) => formatCount(commissions) },
    {
      title: common.amount,
      align: 'end',
      size: 'main',
      sort: 'amount_cents',
      cell: ({ amount_cents, currency }) => <Money cents={amount_cents} currency={currency} />,
    },
    { title: '', cell: (payout) => <PayoutActions payout={payout} /> },
  ];
}
