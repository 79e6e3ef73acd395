import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/events.ts';
import type { EventListReply } from '../../api/types.ts';
import { isTemporary, useApi } from '../../api/use-api.ts';
import { usePartnerNames } from '../../api/use-partner.ts';
import { formatDate } from '../../format/time.ts';
import { useProgram } from '../../session/session.tsx';
import { Button, Select } from '../../ui/controls.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { DateRange } from '../../ui/date-range.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { PartnerFilter } from '../../ui/partner-field.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { useLastPage } from '../../ui/use-last-page.ts';
import { useQueryState } from '../../ui/use-query-state.ts';
import { EVENT_COLUMNS } from './event-columns.tsx';
import { eventKeyOf } from './event-line.ts';
import { useLiveRows } from './use-live-rows.ts';

const PAGE_SIZE = 25;
const EVENTS_REFRESH_MS = 4000;
const EVENT_TYPE_CHOICES = [
  { value: '', text: messages.allTypes },
  { value: 'click', text: common.clicks },
  { value: 'lead', text: common.signUps },
  { value: 'conversion', text: common.sales },
] as const;
const EVENT_FILTERS = ['eventType', 'partner_id', 'link_id', 'sub_id', 'q', 'dateFrom', 'dateTo'];

/** The clicks, sign-ups and sales of a program, updated live. */
export function Events(): JSX.Element {
  const view = useProgram();
  const [{ eventType = '', partner_id = '', page }, change] = useQueryState();
  const { filters, isFiltered, count, clear } = useFilters(EVENT_FILTERS);
  const [isPaused, setPaused] = useState(false);
  const ref = useRef<HTMLDivElement>(null);
  const query = { ...filters, page, pageSize: PAGE_SIZE };
  const isFirstPage = page === undefined;
  const events = useApi<EventListReply>(
    `/api/tracking/events/${view.program.id}`,
    query,
    isFirstPage && !isPaused ? { refreshMs: EVENTS_REFRESH_MS } : {},
  );
  useLastPage(events);
  // While a list loads, the rows of the previous list are still shown. An empty `list` says that these rows do not
  // belong to the list that loads.
  const list = events.isPlaceholderData ? '' : JSON.stringify(query);
  const hasNames = usePartnerNames();
  const { shown, waiting, showWaiting } = useLiveRows(events.data, list, ref);
  // Temporary errors are not shown, because the dashboard retries after them.
  const failure = events.error && !isTemporary(events.error) ? events.error : null;
  const clicksCompleteFrom = shown?.meta.clicks_complete_from;
  const showNew = () => {
    scrollTo({ top: 0 });
    showWaiting();
  };
  return (
    <Page
      title={common.events}
      error={events.error}
      intro={messages.intro}
      actions={
        <>
          {isFirstPage && !failure && (
            <>
              <output>
                {waiting > 0 && (
                  <Button onClick={showNew}>
                    {waiting === PAGE_SIZE ? messages.newEventsOrMore(waiting) : messages.newEvents(waiting)}
                  </Button>
                )}
              </output>
              <span class={isPaused || events.error ? 'small quiet' : 'live small quiet'}>
                {isPaused ? messages.paused : events.error ? messages.notConnected : messages.live}
              </span>
              <Button kind="plain" onClick={() => setPaused(!isPaused)}>
                {isPaused ? messages.resume : messages.pause}
              </Button>
            </>
          )}
          <CsvLink path={`${view.api}/events.csv`} query={filters} />
        </>
      }
    >
      <div class="stack">
        <Filters
          search={<SearchField label={messages.search} placeholder={messages.searchExample} />}
          count={count}
        >
          <Select
            label={messages.type}
            value={eventType}
            choices={EVENT_TYPE_CHOICES}
            onChange={(value) => change({ eventType: value })}
          />
          {view.may('partner:list') && (
            <PartnerFilter value={partner_id} onChange={(id) => change({ partner_id: id, link_id: '' })} />
          )}
          <DateRange />
          <ChosenFilters />
          {isFiltered && shown?.data.length !== 0 && (
            <Button kind="plain" onClick={clear}>
              {common.clear}
            </Button>
          )}
        </Filters>
        <div ref={ref}>
          <Table
            label={common.events}
            columns={EVENT_COLUMNS}
            rows={hasNames ? shown?.data : undefined}
            isStale={events.isPlaceholderData}
            keyOf={eventKeyOf}
            error={events.data ? failure : events.error}
            onRetry={() => void events.refetch()}
            pagination={shown?.meta.pagination}
            empty={
              isFiltered ? (
                <Empty action={<Button onClick={clear}>{common.clearFilters}</Button>}>
                  {messages.noMatch}
                </Empty>
              ) : (
                <Empty
                  action={
                    <Link to={`${view.page}/setup`} button="normal">
                      {messages.openSetup}
                    </Link>
                  }
                >
                  {messages.none}
                </Empty>
              )
            }
          />
        </div>
        {clicksCompleteFrom != null && (
          <p class="small quiet">{messages.clicksListedFrom(formatDate(clicksCompleteFrom))}</p>
        )}
      </div>
    </Page>
  );
}

/** Filters that were set by a click on a value in a row, or by a link to this page. */
function ChosenFilters(): JSX.Element {
  const [{ sub_id = '', link_id = '' }, change] = useQueryState();
  return (
    <>
      {link_id !== '' && (
        <Button icon="close" onClick={() => change({ link_id: '' })}>
          {messages.link(link_id)}
        </Button>
      )}
      {sub_id !== '' && (
        <Button icon="close" onClick={() => change({ sub_id: '' })}>
          {messages.subId(sub_id)}
        </Button>
      )}
    </>
  );
}
