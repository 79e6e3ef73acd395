import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { ListReply, TrackedEvent } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { formatCount } from '../../format/number.ts';
import { useProgram } from '../../session/session.tsx';
import { Button, Select } from '../../ui/controls.tsx';
import { DateRange } from '../../ui/date-range.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { EVENT_COLUMNS } from './event-columns.tsx';
import { keyOf } from './event-line.ts';
import { PartnerFilter } from './partner-names.tsx';
import { useLiveRows } from './use-live-rows.ts';

const PAGE_SIZE = 25;
const REFRESH_MS = 4000;
const TYPES = [
  { value: '', text: 'All events' },
  { value: 'click', text: 'Clicks' },
  { value: 'lead', text: 'Sign-ups' },
  { value: 'conversion', text: 'Sales' },
] as const;
const NO_FILTER = {
  eventType: '',
  partner_id: '',
  link_id: '',
  sub_id: '',
  q: '',
  dateFrom: '',
  dateTo: '',
};

/** The clicks, sign-ups and sales of a program, while they arrive. */
export function Events(): JSX.Element {
  const { program, page: programPage } = useProgram();
  const [query, change] = useQueryState();
  const [isPaused, setPaused] = useState(false);
  const ref = useRef<HTMLDivElement>(null);
  const { eventType = '', partner_id, link_id, sub_id = '', q = '', dateFrom, dateTo, page } = query;
  const filter = { eventType, partner_id, link_id, sub_id, q, dateFrom, dateTo, page };
  const isFirstPage = page === undefined;
  const events = useApi<ListReply<TrackedEvent>>(
    `/api/tracking/events/${program.id}`,
    { ...filter, pageSize: PAGE_SIZE },
    isFirstPage && !isPaused ? { refreshMs: REFRESH_MS } : {},
  );
  // While another list loads, its predecessor stays, and must not count as its rows.
  const list = events.isPlaceholderData ? '' : JSON.stringify(filter);
  const { shown, waiting, showWaiting } = useLiveRows(events.data, list, ref);
  const isFiltered = Object.keys(NO_FILTER).some((name) => query[name]);
  const showNew = () => {
    scrollTo({ top: 0 });
    showWaiting();
  };
  return (
    <Page title="Events" intro="Every click, sign-up, sale, and refund of the program, newest first.">
      <div class="stack">
        <div class="filters">
          <SearchField label="Search events" placeholder="Click id, customer key or transaction id" />
          <Select
            label="Type"
            value={eventType}
            choices={TYPES}
            onChange={(value) => change({ eventType: value })}
          />
          <PartnerFilter />
          <DateRange />
          <ChosenFilters />
          {isFiltered && (
            <Button kind="plain" onClick={() => change(NO_FILTER)}>
              Clear
            </Button>
          )}
        </div>
        {isFirstPage && (
          <div class="row live-bar">
            <span class={isPaused || events.error ? 'small quiet' : 'live small quiet'}>
              {isPaused ? 'Paused' : events.error ? 'Not connected, trying again' : 'Live'}
            </span>
            <Button kind="plain" onClick={() => setPaused(!isPaused)}>
              {isPaused ? 'Resume' : 'Pause'}
            </Button>
            <output>
              {waiting > 0 && (
                <Button onClick={showNew}>
                  {waiting === PAGE_SIZE ? `${waiting} or more` : formatCount(waiting)} new{' '}
                  {waiting === 1 ? 'event' : 'events'}
                </Button>
              )}
            </output>
          </div>
        )}
        <div ref={ref}>
          <Table
            label="Events"
            columns={EVENT_COLUMNS}
            rows={shown?.data}
            keyOf={keyOf}
            error={events.data ? null : events.error}
            onRetry={() => void events.refetch()}
            pagination={shown?.meta.pagination}
            empty={
              isFiltered ? (
                <Empty action={<Button onClick={() => change(NO_FILTER)}>Clear the filters</Button>}>
                  No event matches these filters.
                </Empty>
              ) : (
                <Empty
                  action={
                    <Link to={`${programPage}/setup`} button="normal">
                      Open the setup
                    </Link>
                  }
                >
                  No events yet. Add the tracker to your site, then open a partner’s link.
                </Empty>
              )
            }
          />
        </div>
      </div>
    </Page>
  );
}

/** Filters that a click on a value of a row, or a link to this page, has set. */
function ChosenFilters(): JSX.Element {
  const [{ sub_id = '', link_id = '' }, change] = useQueryState();
  return (
    <>
      {link_id !== '' && (
        <Button icon="close" onClick={() => change({ link_id: '' })}>
          Link {link_id}
        </Button>
      )}
      {sub_id !== '' && (
        <Button icon="close" onClick={() => change({ sub_id: '' })}>
          Sub-id {sub_id}
        </Button>
      )}
    </>
  );
}
