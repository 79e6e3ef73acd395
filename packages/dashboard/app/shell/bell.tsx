import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/shell.ts';
import { mayReadNotifications, useNotifications } from '../api/use-notifications.ts';
import { pageUrl } from '../mount.ts';
import { useSession } from '../session/session.tsx';
import { Icon } from '../ui/icons.tsx';

const BELL_REFRESH_MS = 60_000;
const MAX_SHOWN_UNREAD = 99;

/** A link to the notifications, with the number of unread notifications. */
export function Bell(): JSX.Element | null {
  const { me } = useSession();
  const { path } = useLocation();
  const isOffered = mayReadNotifications(me);
  const { data } = useNotifications({}, { enabled: isOffered, refreshMs: BELL_REFRESH_MS });
  if (!isOffered) return null;
  const unread = data?.meta.unread_count ?? 0;
  const label = unread === 0 ? common.notifications : messages.unread(unread);
  const url = pageUrl('/notifications');
  return (
    <a
      class="button plain square bell"
      href={url}
      aria-label={label}
      title={label}
      aria-current={path === url ? 'page' : undefined}
    >
      <Icon name="bell" />
      {unread > 0 && (
        <span class="bell-count" aria-hidden="true">
          {unread > MAX_SHOWN_UNREAD ? `${MAX_SHOWN_UNREAD}+` : unread}
        </span>
      )}
    </a>
  );
}
