import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import { Page } from '../../ui/page.tsx';
import { NotEarning } from '../states.tsx';

/** Terms, balance, next payout, and how the partner's links perform. */
export function PortalOverview(): JSX.Element {
  return (
    <Page title={common.overview}>
      <NotEarning />
    </Page>
  );
}
