import type { JSX } from 'preact';
import * as messages from '#messages/shell.ts';
import { Link } from '../ui/link.tsx';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/state.tsx';

/** @param home path of the first page */
export function NotFound({ home = '/' }: { home?: string }): JSX.Element {
  return (
    <Page title={messages.notFoundTitle}>
      <Empty
        action={
          <Link to={home} button="normal">
            {messages.toOverview}
          </Link>
        }
      >
        {messages.notFound}
      </Empty>
    </Page>
  );
}
