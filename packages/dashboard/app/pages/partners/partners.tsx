import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/partners.ts';
import type { Partner } from '../../api/types.ts';
import { formatCount } from '../../format/number.ts';
import { type ProgramView, useProgram } from '../../session/session.tsx';
import { type BulkAction, BulkBar } from '../../ui/bulk-bar.tsx';
import { Button } from '../../ui/controls.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Status } from '../../ui/state.tsx';
import { StatusFilter } from '../../ui/status-filter.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { prefetchList, useList } from '../../ui/use-list.ts';
import { useQueryState } from '../../ui/use-query-state.ts';
import { useSelection } from '../../ui/use-selection.ts';
import { Amounts } from '../../ui/values.tsx';
import { InvitePartner } from './invite-partner.tsx';
import { PartnerActions } from './partner-actions.tsx';

const PARTNER_STATUSES = ['pending', 'approved', 'rejected', 'banned'] as const;

/** Approving and rejecting decide on an application, so these actions apply only to pending partners. */
function bulkActionsFor(chosen: readonly Partner[]): readonly BulkAction[] {
  const pending = chosen.flatMap(({ id, status }) => (status === 'pending' ? [id] : []));
  const notBanned = chosen.flatMap(({ id, status }) => (status === 'banned' ? [] : [id]));
  return [
    {
      action: 'approve',
      text: common.approve,
      ids: pending,
      done: messages.approved,
      confirm: { title: messages.bulkApproveTitle, warning: messages.approveWarning, isSafe: true },
    },
    {
      action: 'reject',
      text: common.reject,
      ids: pending,
      done: messages.rejected,
      confirm: { title: messages.bulkRejectTitle, warning: messages.rejectWarning },
    },
    {
      action: 'ban',
      text: messages.ban,
      ids: notBanned,
      done: messages.banned,
      confirm: { title: messages.bulkBanTitle, warning: messages.banWarning },
    },
  ];
}

const PARTNER_FILTERS = ['q', 'status'];

/** The partners of a program. */
export function Partners(): JSX.Element {
  const view = useProgram();
  const [{ sort, order, page = '', invite: isInvited }, change] = useQueryState();
  const { filters, isFiltered, count, clear } = useFilters(PARTNER_FILTERS);
  const partners = useList<Partner>(`${view.api}/partners`, filters);
  const [selected, setSelected] = useSelection(partners.rows);
  const chosen = partners.rows?.filter(({ id }) => selected.has(id)) ?? [];
  // The state is in the URL, so that a link can open the dialog.
  const isInviting = isInvited === '1' && view.may('partner:create');
  // Opening adds an entry to the history, so the browser's Back button closes the dialog. The buttons of the
  // dialog replace this entry, so Back does not open the dialog again.
  const setInviting = (isOpen: boolean) => change({ invite: isOpen ? '1' : '', page }, !isOpen);
  const invite = view.may('partner:create') && (
    <Button kind="primary" onClick={() => setInviting(true)}>
      {messages.invite}
    </Button>
  );
  return (
    <Page
      title={common.partners}
      error={partners.error}
      actions={
        <>
          <CsvLink path={`${view.api}/partners.csv`} query={{ ...filters, sort, order }} />
          {view.may('partner:create') && (
            <Link to={`${view.page}/partners/import`} button="normal">
              {messages.importPartners}
            </Link>
          )}
          {invite}
        </>
      }
    >
      <div class="stack">
        <Filters
          search={<SearchField label={messages.search} placeholder={messages.searchExample} />}
          count={count}
        >
          <StatusFilter statuses={PARTNER_STATUSES} />
        </Filters>
        <BulkBar
          count={chosen.length}
          onDone={() => setSelected(new Set())}
          path={`${view.api}/partners/bulk`}
          refresh={view.api}
          actions={bulkActionsFor(chosen)}
          nameOf={(id) => chosen.find((row) => row.id === id)?.name ?? String(id)}
        />
        <Table
          label={common.partners}
          columns={columnsOf(view)}
          {...partners}
          {...(view.may('partner:update') && { selection: { ids: selected, onChange: setSelected } })}
          empty={
            isFiltered ? (
              <Empty action={<Button onClick={clear}>{common.clearFilters}</Button>}>
                {messages.noMatch}
              </Empty>
            ) : (
              <Empty action={invite}>{messages.none}</Empty>
            )
          }
        />
      </div>
      {isInviting && <InvitePartner onClose={() => setInviting(false)} />}
    </Page>
  );
}

Partners.prefetch = prefetchList('partners', PARTNER_FILTERS);

function columnsOf(view: ProgramView): readonly Column<Partner>[] {
  const { currency } = view.program;
  return [
    {
      title: common.partner,
      sort: 'name',
      firstOrder: 'asc',
      cell: (partner) => (
        <>
          <Link to={`${view.page}/partners/${partner.id}`}>{partner.name}</Link>
          <span class="sub">{partner.email}</span>
        </>
      ),
    },
    { title: common.status, cell: ({ status }) => <Status status={status} /> },
    { title: common.clicks, align: 'end', sort: 'clicks', cell: ({ clicks }) => formatCount(clicks) },
    { title: common.signUps, align: 'end', sort: 'leads', cell: ({ leads }) => formatCount(leads) },
    {
      title: common.sales,
      align: 'end',
      sort: 'conversions',
      cell: ({ conversions }) => formatCount(conversions),
    },
    {
      title: common.payable,
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
      title: common.balance,
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
