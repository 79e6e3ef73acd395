import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import { Page } from '../../ui/page.tsx';

/** The payouts of the partner in a program. */
export function PortalPayouts(): JSX.Element {
  return <Page title={common.payouts}>{null}</Page>;
}
