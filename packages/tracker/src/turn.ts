import { attempt, inFlight, listen } from './page.ts';

/** Longer than a browser needs to show stored data to another tab. */
const TURN_MS = 1_000;

/**
 * Resolves when no other tab has a turn for that name, so that tabs that open at once do not count one visit twice. A
 * page that is left does not wait. Without Web Locks, as on http, it resolves at once.
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
