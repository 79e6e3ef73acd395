import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as portal from '#messages/portal.tsx';
import * as messages from '#messages/portal-earnings.ts';
import { PORTAL_COMMISSIONS } from '../../api/portal-requests.ts';
import type { CommissionTotal, ItemReply, PortalCommission } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { Button } from '../../ui/controls.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { DateRange } from '../../ui/date-range.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { useList } from '../../ui/use-list.ts';
import { useEnrollment } from '../enrollment.ts';
import { NotEarning } from '../states.tsx';
import { commissionColumns } from './commission-columns.tsx';
import { StatusStrip } from './status-strip.tsx';

const EARNING_FILTERS = ['q', 'status', 'dateFrom', 'dateTo'];

/** The commissions of the partner in a program. */
export function PortalEarnings(): JSX.Element {
  const { query, page, program } = useEnrollment();
  const { filters, isFiltered, count, clear } = useFilters(EARNING_FILTERS);
  const commissions = useList<PortalCommission>(PORTAL_COMMISSIONS, { ...filters, ...query });
  const totals = useApi<ItemReply<readonly CommissionTotal[]>>(`${PORTAL_COMMISSIONS}/totals`, {
    ...filters,
    ...query,
    status: undefined,
  });
  return (
    <Page
      title={portal.earnings}
      actions={<CsvLink path={`${PORTAL_COMMISSIONS}.csv`} query={{ ...filters, ...query }} />}
    >
      <div class="stack">
        <NotEarning />
        {!totals.error && (
          <div class="stack tight">
            <StatusStrip totals={totals.data?.data} currency={program.currency} />
            <p class="quiet small">
              {messages.byStatus} <Link to={page}>{messages.overviewPage}</Link>.
            </p>
          </div>
        )}
        <Filters
          search={<SearchField label={messages.search} placeholder={messages.searchExample} />}
          count={count}
        >
          <DateRange />
        </Filters>
        <Table
          label={portal.earnings}
          columns={commissionColumns(page)}
          {...commissions}
          empty={
            isFiltered ? (
              <Empty action={<Button onClick={clear}>{common.clearFilters}</Button>}>
                {messages.noMatch}
              </Empty>
            ) : (
              <Empty
                action={
                  <Link to={`${page}/links`} button="normal">
                    {messages.toLinks}
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
