import type { JSX } from 'preact';
import * as messages from '#messages/commissions.ts';
import * as common from '#messages/common.ts';
import type { Commission, CommissionTotal, ItemReply } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { type ProgramView, useProgram } from '../../session/session.tsx';
import { type BulkAction, BulkBar } from '../../ui/bulk-bar.tsx';
import { Button } from '../../ui/controls.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { DateRange } from '../../ui/date-range.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { PartnerFilter } from '../../ui/partner-field.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { prefetchList, useList } from '../../ui/use-list.ts';
import { useQueryState } from '../../ui/use-query-state.ts';
import { useSelection } from '../../ui/use-selection.ts';
import { Money, Time } from '../../ui/values.tsx';
import { whyCommission } from '../why/why-path.ts';
import { approvalWarningFor } from './approval-warning.ts';
import { CommissionActions } from './commission-actions.tsx';
import { CommissionStatus } from './commission-status.tsx';
import { describeNetSums, NetAmount } from './net-amount.tsx';
import { isOnHold } from './on-hold.ts';
import { canApprove, canReject } from './review-rules.ts';
import { StatusTabs } from './status-tabs.tsx';

const COMMISSION_FILTERS = ['q', 'status', 'partner_id', 'payout_id', 'needs_approval', 'dateFrom', 'dateTo'];

function bulkActionsFor(chosen: readonly Commission[]): readonly BulkAction[] {
  const approvable = chosen.filter(canApprove);
  const rejectable = chosen.filter(canReject);
  return [
    {
      action: 'approve',
      text: common.approve,
      ids: approvable.map(({ id }) => id),
      done: messages.approved,
      confirm: {
        title: (count) => messages.approveTitle(count, describeNetSums(approvable)),
        warning: approvalWarningFor(approvable),
        isSafe: true,
      },
    },
    {
      action: 'reject',
      text: common.reject,
      ids: rejectable.map(({ id }) => id),
      done: messages.rejected,
      confirm: {
        title: (count) => messages.bulkRejectTitle(count, describeNetSums(rejectable)),
        warning: messages.bulkRejectWarning,
      },
    },
  ];
}

/** The commissions of a program. */
export function Commissions(): JSX.Element {
  const view = useProgram();
  const [{ partner_id = '', payout_id = '', sort, order }, change] = useQueryState();
  const { filters, isFiltered, count, clear } = useFilters(COMMISSION_FILTERS);
  const path = `${view.api}/commissions`;
  const commissions = useList<Commission>(path, filters);
  const totals = useApi<ItemReply<readonly CommissionTotal[]>>(`${path}/totals`, {
    ...filters,
    status: undefined,
    needs_approval: undefined,
  });
  const inReview = useApi<ItemReply<readonly CommissionTotal[]>>(`${path}/totals`, {
    ...filters,
    status: undefined,
    needs_approval: 1,
  });
  const [selected, setSelected] = useSelection(commissions.rows);
  const chosen = commissions.rows?.filter(({ id }) => selected.has(id)) ?? [];
  return (
    <Page
      title={common.commissions}
      error={commissions.error}
      actions={<CsvLink path={`${path}.csv`} query={{ ...filters, sort, order }} />}
    >
      <div class="stack">
        <StatusTabs totals={totals.data?.data} inReview={inReview.data?.data} />
        <Filters
          search={<SearchField label={messages.search} placeholder={messages.searchExample} />}
          count={count}
        >
          {view.may('partner:list') && (
            <PartnerFilter value={partner_id} onChange={(id) => change({ partner_id: id })} />
          )}
          {payout_id !== '' && (
            <Button icon="close" onClick={() => change({ payout_id: '' })}>
              {messages.ofPayout(payout_id)}
            </Button>
          )}
          <DateRange />
        </Filters>
        <BulkBar
          count={chosen.length}
          onDone={() => setSelected(new Set())}
          path={`${path}/bulk`}
          refresh={view.api}
          actions={bulkActionsFor(chosen)}
          sum={describeNetSums(chosen)}
          nameOf={(id) => chosen.find((row) => row.id === id)?.transaction_id ?? String(id)}
        />
        {sort === 'amount_cents' && <p class="quiet small">{messages.sortedByOriginal}</p>}
        <Table
          label={common.commissions}
          columns={columnsOf(view)}
          {...commissions}
          {...(view.may('commission:update') && { selection: { ids: selected, onChange: setSelected } })}
          empty={
            isFiltered ? (
              <Empty action={<Button onClick={clear}>{common.clearFilters}</Button>}>
                {messages.noMatch}
              </Empty>
            ) : (
              messages.none
            )
          }
        />
      </div>
    </Page>
  );
}

Commissions.prefetch = prefetchList('commissions', COMMISSION_FILTERS);

function columnsOf(view: ProgramView): readonly Column<Commission>[] {
  return [
    {
      title: common.sale,
      cell: (commission) => (
        <>
          <Link to={whyCommission(view.page, commission.id)} whole={commission.transaction_id}>
            {commission.transaction_id}
          </Link>
          <span class="sub line" title={commission.partner_name}>
            {commission.partner_name}
          </span>
        </>
      ),
    },
    {
      title: common.status,
      cell: (commission) => <CommissionStatus commission={commission} />,
    },
    {
      title: common.date,
      sort: 'commission_date',
      cell: ({ commission_date }) => <Time at={commission_date} />,
    },
    {
      title: messages.payableFrom,
      size: 'fit',
      cell: (commission) =>
        commission.disputed ? (
          messages.afterDispute
        ) : commission.needs_approval ? (
          messages.afterApproval
        ) : (
          <Time at={isOnHold(commission) ? commission.releasable_at : null} dateOnly />
        ),
    },
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
      sort: 'amount_cents',
      cell: (commission) => <NetAmount commission={commission} />,
    },
    ...(view.may('commission:update')
      ? [{ title: '', cell: (commission: Commission) => <CommissionActions commission={commission} /> }]
      : []),
  ];
}
