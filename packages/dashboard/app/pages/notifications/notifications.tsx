import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/notifications.ts';
import type { Notification } from '../../api/types.ts';
import { mayMarkNotifications, NOTIFICATIONS, useNotifications } from '../../api/use-notifications.ts';
import { useSession, viewOf } from '../../session/session.tsx';
import { Inbox, InboxItem } from '../../ui/inbox.tsx';
import { Link } from '../../ui/link.tsx';
import { describeNotification } from './describe.ts';

/** Events that need the attention of the advertiser, newest first. */
export function Notifications(): JSX.Element {
  const { me } = useSession();
  return (
    <Inbox
      path={NOTIFICATIONS}
      useNotifications={useNotifications}
      empty={messages.none}
      mayMarkAll={me.workspaces.some(({ id }) => mayMarkNotifications(me, id))}
      item={(notification, onRead) => (
        <Item key={notification.id} notification={notification} onRead={onRead} />
      )}
    />
  );
}

function Item({ notification, onRead }: { notification: Notification; onRead: () => void }): JSX.Element {
  const { me, programs } = useSession();
  const { title, text, transactionId, endpointId, isAboutBatch } = describeNotification(notification);
  const program = programs.find(({ id }) => id === notification.program_id);
  return (
    <InboxItem
      notification={notification}
      title={title}
      text={text}
      source={program?.name}
      onRead={mayMarkNotifications(me, notification.workspace_id) ? onRead : null}
    >
      {program && transactionId !== null && (
        <Link to={`/p/${program.id}/why?q=${encodeURIComponent(transactionId)}`} button="normal">
          {common.why}
        </Link>
      )}
      {program && endpointId !== null && viewOf(me, program).may('webhook:write') && (
        <Link to={`/p/${program.id}/webhooks/${endpointId}`} button="normal">
          {messages.openEndpoint}
        </Link>
      )}
      {program && isAboutBatch && viewOf(me, program).may('payout:list') && (
        <Link to={`/p/${program.id}/payouts/files`} button="normal">
          {messages.openBatches}
        </Link>
      )}
    </InboxItem>
  );
}
