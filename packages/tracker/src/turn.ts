import { attempt, inFlight, listen } from './page.ts';

/** Longer than a browser takes to make stored data visible in another tab. */
const TURN_MS = 1_000;

/**
 * Resolves when no other tab has a turn with this name. Tabs that open at the same time therefore do not
 * count a visit twice. When the visitor leaves the page, the promise resolves at once. It also does without
 * Web Locks, for example on http.
 */
export const takeTurn = (name: string): Promise<unknown> =>
  (inFlight['turn'] = new Promise((go) => {
    listen('pagehide', go);
    // `navigator.locks` is undefined on http and in older browsers.
    attempt(() =>
      navigator.locks
        .request(name, () => {
          go(0);
          return new Promise((end) => setTimeout(end, TURN_MS));
        })
        .catch(go),
    ) || go(0);
  }));
