import type { UseQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren, JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/notifications.ts';
import type { Query } from '../api/client.ts';
import type { ListReply, Notification } from '../api/types.ts';
import { useChange } from '../api/use-api.ts';
import { Button, Segments } from './controls.tsx';
import { Page } from './page.tsx';
import { Empty, ErrorNotice, Skeleton } from './state.tsx';
import { Pages } from './table.tsx';
import { useToast } from './toast.tsx';
import { useLastPage } from './use-last-page.ts';
import { useQueryState } from './use-query-state.ts';
import { Time } from './values.tsx';

const LOADING_ROWS = 6;
const UNREAD_CHOICES = [
  { value: '', text: messages.all },
  { value: '1', text: messages.onlyUnread },
] as const;

interface UnreadList<Row> extends ListReply<Row> {
  readonly meta: ListReply<Row>['meta'] & { readonly unread_count: number };
}

/** A page with all notifications or only the unread ones. Users can mark them as read. */
export function Inbox<Row extends Notification>({
  path,
  useNotifications,
  empty,
  mayMarkAll = true,
  item,
}: {
  /** Path of the list in the API. Routes below it mark notifications as read. */
  path: string;
  useNotifications: (query: Query) => UseQueryResult<UnreadList<Row>, Error>;
  empty: string;
  mayMarkAll?: boolean;
  item: (notification: Row, onRead: () => void) => JSX.Element;
}): JSX.Element {
  const [{ page, unread = '' }, change] = useQueryState();
  const list = useNotifications({ page, ...(unread === '1' && { unread }) });
  useLastPage(list);
  const { mutateAsync, isPending } = useChange(path);
  const toast = useToast();
  const unreadTotal = list.data?.meta.unread_count ?? 0;
  const mark = (below: string, body?: object) =>
    void mutateAsync({ method: 'POST', path: `${path}${below}`, ...(body && { body }) }).catch(
      (error: Error) => toast(error.message),
    );
  const rows = list.data?.data;
  return (
    <Page
      title={common.notifications}
      error={list.error}
      actions={
        mayMarkAll &&
        unreadTotal > 0 && (
          <Button busy={isPending} icon="check" onClick={() => mark('/read-all', {})}>
            {messages.markAllRead}
          </Button>
        )
      }
    >
      <div class="stack">
        <div class="row">
          <Segments
            label={messages.shown}
            value={unread === '1' ? '1' : ''}
            choices={UNREAD_CHOICES}
            onChange={(value) => change({ unread: value })}
          />
          {list.data && (
            <span class="quiet small">
              {unreadTotal === 0 ? messages.nothingUnread : messages.unread(unreadTotal)}
            </span>
          )}
        </div>
        {list.error ? (
          <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
        ) : (
          <div class="card flush">
            {rows?.length === 0 ? (
              <Empty>{unread === '1' ? messages.allRead : empty}</Empty>
            ) : (
              <ul
                class="inbox"
                aria-label={common.notifications}
                aria-busy={list.isPlaceholderData || rows === undefined}
              >
                {rows?.map((row) => item(row, () => mark(`/${row.id}/read`))) ?? <LoadingItems />}
              </ul>
            )}
            {list.data && rows && rows.length > 0 && <Pages pagination={list.data.meta.pagination} />}
          </div>
        )}
      </div>
    </Page>
  );
}

function LoadingItems(): JSX.Element {
  return (
    <>
      {Array.from({ length: LOADING_ROWS }, (_, index) => (
        <li key={index}>
          <Skeleton width="40%" />
          <Skeleton width="80%" />
        </li>
      ))}
    </>
  );
}

/** A notification with its text and the actions for it. */
export function InboxItem({
  notification: { read_at, created_at },
  title,
  text,
  source,
  onRead,
  children,
}: {
  notification: Notification;
  title: string;
  text: string;
  /** Name of the program. */
  source: string | undefined;
  /** Null if the user may not mark the notification as read. */
  onRead: (() => void) | null;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <li class={read_at === null ? 'unread' : undefined}>
      <div class="row apart">
        <h2>
          {title}
          {read_at === null && <span class="hidden"> {messages.isUnread}</span>}
        </h2>
        <span class="quiet small">
          <Time at={created_at} />
        </span>
      </div>
      <p>{text}</p>
      <div class="row apart">
        <span class="quiet small">{source}</span>
        <div class="row">
          {read_at === null && onRead && (
            <Button kind="plain" onClick={onRead}>
              {messages.markRead}
            </Button>
          )}
          {children}
        </div>
      </div>
    </li>
  );
}
