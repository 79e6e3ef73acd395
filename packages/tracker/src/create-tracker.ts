import type { Tracker } from './api.ts';
import type { TrackerOptions } from './config.ts';
import { startTracker } from './tracker.ts';
import { watchLinks } from './watch-links.ts';

/** The tracker on a server, where nothing is sent. */
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
 * Starts the tracker of this page. Further calls return the same tracker and ignore their options. On a
 * server the tracker does nothing, so code that is also rendered there may call this function. If the page
 * also has the script, both share their state and track a landing once.
 */
export function createTracker(options: TrackerOptions): Tracker {
  if (typeof window === 'undefined') return idleTracker;
  tracker = tracker || startTracker(options);
  if (options.linker) watchLinks();
  return tracker;
}
