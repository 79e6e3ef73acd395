import type { JSX } from 'preact';
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
  const { title, text, links } = describeNotification(notification);
  const program = programs.find(({ id }) => id === notification.program_id);
  return (
    <InboxItem
      notification={notification}
      title={title}
      text={text}
      source={program?.name}
      onRead={mayMarkNotifications(me, notification.workspace_id) ? onRead : null}
    >
      {program &&
        links
          .filter(({ permission }) => viewOf(me, program).may(permission))
          .map((link) => (
            <Link key={link.path} to={`/p/${program.id}${link.path}`} button="normal">
              {link.text}
            </Link>
          ))}
    </InboxItem>
  );
}
