import { attempt, idle, inFlight, listen } from './page.ts';

/** Longer than `idle` takes, plus the time until data stored in one tab can be read in another. */
const TURN_MS = 2_000;

/**
 * Resolves in idle time, when no other tab has a turn with this name. Tabs that open at the same time therefore do
 * not count a visit twice. When the visitor leaves the page, the promise resolves at once. Without Web Locks, for
 * example on http, it does not wait for other tabs.
 */
export const takeTurn = (name: string): Promise<unknown> =>
  (inFlight['turn'] = new Promise((go) => {
    listen('pagehide', go);
    // `navigator.locks` is undefined on http and in older browsers.
    attempt(() =>
      navigator.locks
        .request(name, () => {
          idle().then(go);
          return new Promise((end) => setTimeout(end, TURN_MS));
        })
        .catch(go),
    ) || idle().then(go);
  }));
