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

let decide: (value?: unknown) => void;

/** Resolves when consent has been granted or denied and the page is no longer prerendering. */
export const consentDecided = new Promise((resolve) => {
  decide = resolve;
});

/** Whether consent is granted. Undefined until the tracker starts. */
export let isGranted: boolean | undefined;

/**
 * Sets the visitor's consent. `denied` deletes all stored data and drops all events that were waiting for
 * consent.
 */
export function consent(next: string): void {
  isGranted = next === 'granted';
  if (next === 'denied') reset();
  if (next === 'pending') return;
  if (documentProperty('prerendering')) listen('prerenderingchange', decide);
  else decide();
}
