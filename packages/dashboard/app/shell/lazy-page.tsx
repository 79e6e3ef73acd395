import type { QueryClient } from '@tanstack/preact-query';
import type { ComponentType, JSX } from 'preact';
import { lazy } from 'preact-iso';
import * as messages from '#messages/shell.ts';
import type { ProgramView } from '../session/session.tsx';
import { Button } from '../ui/controls.tsx';
import { Page } from '../ui/page.tsx';
import type { QueryState } from '../ui/use-query-state.ts';

/** Sends the first requests of a page before the page is rendered. */
export type Prefetch = (client: QueryClient, view: ProgramView, query: QueryState) => void;

type PageComponent<Props> = ComponentType<Props> & { readonly prefetch?: Prefetch };

/** A page whose code can be loaded with `preload` before it is shown. */
export type LazyPage<Props = object> = ComponentType<Props> & {
  readonly preload: () => Promise<PageComponent<Props>>;
};

/**
 * Makes a page whose code is loaded when it is opened. After an update of the server, the old code may no
 * longer exist.
 */
export function lazyPage<Props = object>(load: () => Promise<PageComponent<Props>>): LazyPage<Props> {
  return lazy(() => load().catch((): PageComponent<Props> => NotLoaded));
}

function NotLoaded(): JSX.Element {
  return (
    <Page title={messages.notLoadedTitle}>
      <div class="notice" role="alert">
        <span>{messages.notLoaded}</span>
        <Button onClick={() => location.reload()}>{messages.reload}</Button>
      </div>
    </Page>
  );
}
