import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import * as messages from '#messages/shell.ts';
import { pageUrl } from '../mount.ts';
import { Link } from '../ui/link.tsx';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/state.tsx';

export function NotFound(): JSX.Element {
  const { path } = useLocation();
  const home = path.startsWith(pageUrl('/partner')) ? '/partner' : '/';
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
