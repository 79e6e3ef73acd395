import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/notifications.ts';
import type { Notification } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { NOTIFICATIONS, useNotifications } from '../../api/use-notifications.ts';
import { useSession } from '../../session/session.tsx';
import { Button, Segments } from '../../ui/controls.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { Pages } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Time } from '../../ui/values.tsx';
import { describeNotification } from './describe.ts';

const LOADING_ROWS = 6;
const UNREAD_CHOICES = [
  { value: '', text: messages.all },
  { value: '1', text: messages.onlyUnread },
] as const;

/** Events that need the attention of the advertiser, newest first. */
export function Notifications(): JSX.Element {
  const [{ page, unread = '' }, change] = useQueryState();
  const list = useNotifications({ page, ...(unread === '1' && { unread }) });
  const { mutateAsync, isPending } = useChange(NOTIFICATIONS);
  const toast = useToast();
  const unreadTotal = list.data?.meta.unread_count ?? 0;
  const mark = (path: string, body?: object) =>
    mutateAsync({ method: 'POST', path: `${NOTIFICATIONS}${path}`, ...(body && { body }) }).catch(
      (error: Error) => toast(error.message),
    );
  const markRead = (id: number) => void mark(`/${id}/read`);
  const markAll = () => void mark('/read-all', {});
  return (
    <Page
      title={common.notifications}
      actions={
        unreadTotal > 0 && (
          <Button busy={isPending} icon="check" onClick={markAll}>
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
            <Items rows={list.data?.data} onRead={markRead} isFiltered={unread === '1'} />
            {list.data && list.data.data.length > 0 && <Pages pagination={list.data.meta.pagination} />}
          </div>
        )}
      </div>
    </Page>
  );
}

function Items({
  rows,
  onRead,
  isFiltered,
}: {
  rows: readonly Notification[] | undefined;
  onRead: (id: number) => void;
  isFiltered: boolean;
}): JSX.Element {
  if (rows?.length === 0) {
    return <Empty>{isFiltered ? messages.allRead : messages.none}</Empty>;
  }
  return (
    <ul class="inbox" aria-label={common.notifications} aria-busy={rows === undefined}>
      {rows === undefined
        ? Array.from({ length: LOADING_ROWS }, (_, index) => (
            <li key={index}>
              <Skeleton width="40%" />
              <Skeleton width="80%" />
            </li>
          ))
        : rows.map((row) => <Item key={row.id} notification={row} onRead={() => onRead(row.id)} />)}
    </ul>
  );
}

function Item({ notification, onRead }: { notification: Notification; onRead: () => void }): JSX.Element {
  const { programs } = useSession();
  const { program_id, read_at, created_at } = notification;
  const { title, text, transactionId } = describeNotification(notification);
  const program = programs.find(({ id }) => id === program_id);
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
        <span class="quiet small">{program?.name}</span>
        <div class="row">
          {read_at === null && (
            <Button kind="plain" onClick={onRead}>
              {messages.markRead}
            </Button>
          )}
          {program && transactionId !== null && (
            <Link to={`/p/${program.id}/why?q=${encodeURIComponent(transactionId)}`} button="normal">
              {common.why}
            </Link>
          )}
        </div>
      </div>
    </li>
  );
}
