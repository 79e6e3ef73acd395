import type { JSX } from 'preact';
import { Link } from '../ui/link.tsx';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/state.tsx';

export function NotFound(): JSX.Element {
  return (
    <Page title="Page not found">
      <Empty
        action={
          <Link to="/" button="normal">
            Go to the overview
          </Link>
        }
      >
        This address has no page, or it belongs to a program that you may not see.
      </Empty>
    </Page>
  );
}
