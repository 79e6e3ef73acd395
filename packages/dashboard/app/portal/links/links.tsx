import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import { Page } from '../../ui/page.tsx';

/** The links of the partner in a program. */
export function PortalLinks(): JSX.Element {
  return <Page title={common.links}>{null}</Page>;
}
