import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/webhooks.tsx';
import type { ListReply, WebhookDelivery } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { Button, Select } from '../../ui/controls.tsx';
import { DateRange } from '../../ui/date-range.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Empty } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { useLastPage } from '../../ui/use-last-page.ts';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Time } from '../../ui/values.tsx';
import { EVENT_TYPES } from '../webhooks/event-types.ts';
import { DeliveryState } from './delivery-state.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { SendAgain } from './send-again.tsx';

const PAGE_SIZE = 25;
const REFRESH_MS = 3_000;
const FILTERS = ['status', 'type', 'dateFrom', 'dateTo'];

const STATUS_CHOICES = [
  { value: '', text: common.allStatuses },
  ...Object.entries(messages.deliveryStates).map(([value, text]) => ({ value, text })),
];
const TYPE_CHOICES = [
  { value: '', text: messages.allTypes },
  ...EVENT_TYPES.map((type) => ({ value: type, text: type })),
  { value: 'webhook.test', text: messages.testType },
];

/** The log of an endpoint. The URL contains the filters and the page. */
export function Deliveries({ path }: { path: string }): JSX.Element {
  const [{ status = '', type = '', page = '' }, change] = useQueryState();
  const { filters, isFiltered, count, clear } = useFilters(FILTERS);
  const [isReplaying, setReplaying] = useState(false);
  const list = useApi<ListReply<WebhookDelivery>>(
    `${path}/deliveries`,
    { ...filters, page, pageSize: PAGE_SIZE },
    { refreshMs: ({ reply }) => reply.data.some((row) => row.status === 'queued') && REFRESH_MS },
  );
  useLastPage(list);
  return (
    <div class="stack">
      <div class="row apart">
        <h2>{messages.log}</h2>
        <Button onClick={() => setReplaying(true)}>{messages.replay}</Button>
      </div>
      <Filters count={count}>
        <Select
          label={common.status}
          value={status}
          choices={STATUS_CHOICES}
          onChange={(value) => change({ status: value })}
        />
        <Select
          label={messages.eventType}
          value={type}
          choices={TYPE_CHOICES}
          onChange={(value) => change({ type: value })}
        />
        <DateRange />
        {isFiltered && list.data?.data.length !== 0 && (
          <Button kind="plain" onClick={clear}>
            {common.clear}
          </Button>
        )}
      </Filters>
      <Table
        label={messages.log}
        columns={columnsOf(path)}
        rows={list.data?.data}
        isStale={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        pagination={list.data?.meta.pagination}
        empty={
          isFiltered ? (
            <Empty action={<Button onClick={clear}>{common.clearFilters}</Button>}>
              {messages.noneMatches}
            </Empty>
          ) : (
            messages.noDeliveries
          )
        }
      />
      {isReplaying && <ReplayDialog path={path} onClose={() => setReplaying(false)} />}
    </div>
  );
}

function columnsOf(path: string): readonly Column<WebhookDelivery>[] {
  return [
    { title: messages.eventType, cell: (delivery) => <DeliveryLink delivery={delivery} /> },
    { title: common.status, size: 'wide', cell: (delivery) => <DeliveryState delivery={delivery} /> },
    {
      title: messages.response,
      cell: ({ last_status }) => last_status ?? <span class="quiet">–</span>,
    },
    { title: messages.time, size: 'fit', cell: ({ created_at }) => <Time at={created_at} /> },
    { title: messages.attempts, align: 'end', cell: ({ attempts }) => attempts },
    {
      title: '',
      align: 'end',
      cell: (delivery) => <SendAgain path={path} delivery={delivery} isPlain />,
    },
  ];
}

/** A link that opens the delivery and keeps the filters. */
function DeliveryLink({ delivery: { id, event_type } }: { delivery: WebhookDelivery }): JSX.Element {
  const { path, query } = useLocation();
  const parameters = new URLSearchParams({ ...query, delivery: String(id) });
  return (
    <a href={`${path}?${parameters}`}>
      <code>{event_type}</code>
    </a>
  );
}
