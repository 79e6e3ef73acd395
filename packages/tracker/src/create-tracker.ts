import type { Tracker } from './api.ts';
import type { TrackerOptions } from './config.ts';
import { startTracker } from './tracker.ts';
import { watchLinks } from './watch-links.ts';

/** The tracker that is used on a server. It sends nothing. */
const idleTracker: Tracker = {
  ready: async () => null,
  getClickId: () => null,
  trackClick: async () => ({ sent: false, reason: 'no_browser' }),
  trackLead: async () => null,
  consent() {},
  decorate: (url) => url,
  reset() {},
  debug: () => ({ clickId: null }),
};

let tracker: Tracker | undefined;

/**
 * Starts the tracker of this page. Later calls return the same tracker and ignore their options. On a server,
 * the tracker does nothing, so code that is rendered on a server may call this function too. If the page also
 * has the script, both share their state and track a landing only once.
 */
export function createTracker(options: TrackerOptions): Tracker {
  if (typeof window === 'undefined') return idleTracker;
  tracker = tracker || startTracker(options);
  if (options.linker) watchLinks();
  return tracker;
}
