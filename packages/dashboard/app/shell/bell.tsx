import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/shell.ts';
import { pageUrl } from '../mount.ts';
import { Icon } from '../ui/icons.tsx';

/** Time until the bell reads the number of unread notifications again. */
export const BELL_REFRESH_MS = 60_000;
const MAX_SHOWN_UNREAD = 99;

/** A link to a page of notifications, with the number of unread notifications. */
export function Bell({ to, unread }: { to: string; unread: number }): JSX.Element {
  const { path } = useLocation();
  const label = unread === 0 ? common.notifications : messages.unread(unread);
  const url = pageUrl(to);
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
