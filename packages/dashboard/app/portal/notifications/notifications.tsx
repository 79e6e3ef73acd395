import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/portal-notifications.ts';
import type { PortalNotification } from '../../api/types.ts';
import { PORTAL_NOTIFICATIONS, usePortalNotifications } from '../../api/use-portal-notifications.ts';
import { Inbox, InboxItem } from '../../ui/inbox.tsx';
import { Link } from '../../ui/link.tsx';
import { type Enrollment, useEnrollments } from '../enrollment.ts';
import { describePortalNotification, type PortalNotificationText } from './describe.ts';

/** Notifications of all the user's partners, newest first. */
export function PortalNotifications(): JSX.Element {
  return (
    <Inbox
      path={PORTAL_NOTIFICATIONS}
      useNotifications={usePortalNotifications}
      empty={messages.none}
      item={(notification, onRead) => (
        <Item key={notification.id} notification={notification} onRead={onRead} />
      )}
    />
  );
}

function Item({
  notification,
  onRead,
}: {
  notification: PortalNotification;
  onRead: () => void;
}): JSX.Element {
  const enrollment = useEnrollments().find(({ program }) => program.program_id === notification.program_id);
  const { title, text, subject } = describePortalNotification(notification);
  return (
    <InboxItem
      notification={notification}
      title={title}
      source={enrollment?.program.name}
      onRead={onRead}
      text={text}
    >
      {notification.kind === 'payout_details_changed' ? (
        <Link to="/partner/payout-details" button="normal">
          {messages.openDetails}
        </Link>
      ) : (
        enrollment && <SubjectLink enrollment={enrollment} subject={subject} />
      )}
    </InboxItem>
  );
}

function SubjectLink({
  enrollment: { page },
  subject,
}: {
  enrollment: Enrollment;
  subject: PortalNotificationText['subject'];
}): JSX.Element | null {
  if (subject === null) return null;
  return subject.kind === 'payout' ? (
    <Link to={`${page}/payouts/${subject.id}`} button="normal">
      {messages.openPayout}
    </Link>
  ) : (
    <Link to={`${page}/earnings/${subject.id}`} button="normal">
      {common.why}
    </Link>
  );
}
