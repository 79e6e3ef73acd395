import type { ComponentType, JSX } from 'preact';
import { lazy } from 'preact-iso';
import * as messages from '#messages/shell.ts';
import { Button } from '../ui/controls.tsx';
import { Page } from '../ui/page.tsx';

/** A page whose code is loaded when it is opened. After an update of the server, that code may have gone. */
export function lazyPage<Props = object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return lazy(() => load().catch((): ComponentType<Props> => NotLoaded));
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
