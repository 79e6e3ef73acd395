import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import { Page } from '../../ui/page.tsx';

/** The signed-in user of the partner portal. */
export function PortalAccount(): JSX.Element {
  return <Page title={common.account}>{null}</Page>;
}
