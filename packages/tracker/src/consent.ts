import { documentProperty, listen } from './page.ts';
import { reset } from './store.ts';

declare global {
  interface Document {
    /**
     * Whether the browser is prerendering the page. Undefined in browsers that do not support prerendering.
     */
    readonly prerendering?: boolean;
  }
}

/** Undefined until the tracker starts. */
let state: string | undefined;
let decide: (value?: unknown) => void;

/** Resolves when consent has been granted or denied and the page is no longer prerendering. */
export const consentDecided = new Promise((resolve) => {
  decide = resolve;
});

export const isGranted = () => state === 'granted';

/**
 * Sets the visitor's consent. `denied` deletes all stored data and drops all events that were waiting for
 * consent.
 */
export function consent(next: string): void {
  state = next;
  if (next === 'denied') reset();
  if (next === 'pending') return;
  if (documentProperty('prerendering')) listen('prerenderingchange', decide);
  else decide();
}
