import type { Tracker } from './api.ts';
import type { TrackerOptions } from './config.ts';
import { startTracker } from './tracker.ts';

/** What there is on a server: nobody visits, nothing is sent. */
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
 * Starts the tracker of this page; called again, it gives the one that is there, whatever the options. On a
 * server the tracker does nothing, so the call may stand in code that is also rendered there. Beside the script
 * it shares the work: no landing is tracked twice.
 */
export function createTracker(options: TrackerOptions): Tracker {
  if (typeof window === 'undefined') return idleTracker;
  tracker = tracker || startTracker(options);
  return tracker;
}
