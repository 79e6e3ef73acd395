import { attempt, delay, idle, inFlight, listen } from './page.ts';

/** Longer than the time until data stored in one tab can be read in another. */
const SYNC_MS = 1_000;

/**
 * Resolves in idle time, when no other tab has a turn with this name. Tabs that open at the same time therefore do
 * not count a visit twice. When the visitor leaves the page, the promise resolves at once. Without Web Locks, for
 * example on http, it does not wait for other tabs.
 */
export const takeTurn = (name: string): Promise<unknown> =>
  (inFlight['t'] = new Promise((go) => {
    // Other tabs wait until the visit is stored, however long this page is busy.
    const hold = async () => {
      go(await idle());
      return delay(SYNC_MS);
    };
    listen('pagehide', go);
    // `navigator.locks` is undefined on http and in older browsers.
    attempt(() => navigator.locks.request(name, hold).catch(go)) || hold();
  }));
