import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import { Page } from '../../ui/page.tsx';

/** A link of the partner, with its figures over time. */
export function PortalLinkDetail(): JSX.Element {
  return <Page title={common.link}>{null}</Page>;
}
