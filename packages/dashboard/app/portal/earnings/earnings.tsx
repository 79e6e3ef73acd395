import type { JSX } from 'preact';
import * as messages from '#messages/portal.tsx';
import { Page } from '../../ui/page.tsx';

/** The commissions of the partner in a program. */
export function PortalEarnings(): JSX.Element {
  return <Page title={messages.earnings}>{null}</Page>;
}
