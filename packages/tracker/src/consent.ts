import { reset } from './kept-click.ts';
import { listen } from './page.ts';

declare global {
  interface Document {
    /** Whether the page is loaded before anybody has asked for it, where the browser does that. */
    readonly prerendering?: boolean;
  }
}

let state = 'pending';
let decide: (value?: unknown) => void;

/** Resolves once the visitor has been asked and sees the page: a prerendered one may never be shown. */
export const decided = new Promise((resolve) => {
  decide = resolve;
});

export const isGranted = () => state === 'granted';

/** Notes the visitor's choice. `denied` forgets everything, and what waited for the choice for good. */
export function consent(next: string): void {
  state = next;
  if (next === 'denied') reset();
  if (next === 'pending') return;
  if (document.prerendering) listen('prerenderingchange', decide);
  else decide();
}
