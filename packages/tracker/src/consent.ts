import { listen } from './page.ts';
import { reset } from './store.ts';

declare global {
  interface Document {
    /** Whether the browser is prerendering the page. Undefined in browsers without prerendering. */
    readonly prerendering?: boolean;
  }
}

/** Undefined until the tracker starts. */
let state: string | undefined;
let decide: (value?: unknown) => void;

/** Resolves when consent is granted or denied and the page is not prerendering any more. */
export const consentDecided = new Promise((resolve) => {
  decide = resolve;
});

export const isGranted = () => state === 'granted';

/**
 * Sets the visitor's consent. `denied` deletes all stored data and drops the events that waited for consent.
 */
export function consent(next: string): void {
  state = next;
  if (next === 'denied') reset();
  if (next === 'pending') return;
  if (document.prerendering === true) listen('prerenderingchange', decide);
  else decide();
}
