import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import { Page } from '../../ui/page.tsx';

/** Notifications of all the user's partners. */
export function PortalNotifications(): JSX.Element {
  return <Page title={common.notifications}>{null}</Page>;
}
