import type { QueryClient } from '@tanstack/preact-query';
import type { ComponentType, JSX } from 'preact';
import { lazy } from 'preact-iso';
import * as messages from '#messages/shell.ts';
import type { ProgramView } from '../session/session.tsx';
import { Button } from '../ui/controls.tsx';
import { Page } from '../ui/page.tsx';
import type { QueryState } from '../ui/use-query-state.ts';

/** Requests the data that a page needs first, before the page is rendered. */
export type Prefetch<View = ProgramView> = (client: QueryClient, view: View, query: QueryState) => void;

type PageComponent<Props, View> = ComponentType<Props> & { readonly prefetch?: Prefetch<View> };

/** A page with a function `preload`, which loads the page's code before the page is shown. */
export type LazyPage<Props = object, View = ProgramView> = ComponentType<Props> & {
  readonly preload: () => Promise<PageComponent<Props, View>>;
};

/**
 * A page whose code is loaded when it is opened. If the code is gone, for example after an update of the server,
 * the page offers to reload.
 */
export function lazyPage<Props = object, View = ProgramView>(
  load: () => Promise<PageComponent<Props, View>>,
): LazyPage<Props, View> {
  return lazy(() => load().catch((): PageComponent<Props, View> => NotLoaded));
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
