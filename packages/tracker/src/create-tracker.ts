import type { Tracker } from './api.ts';
import type { TrackerOptions } from './config.ts';
import { startTracker } from './tracker.ts';

/** What there is on a server: nobody visits, nothing is sent. */
const idleTracker: Tracker = {
  ready: async () => null,
  getClickId: () => null,
  trackClick: async () => ({ sent: false, reason: 'no_browser' }),
  trackLead: async () => null,
  reset() {},
  debug: () => ({ clickId: null }),
};

/**
 * Starts a tracker on this page; on a server the tracker does nothing, so the call may stand in code that
 * is also rendered there. Beside the script, or called twice, it shares the work: no landing is tracked
 * twice.
 */
export function createTracker(options: TrackerOptions): Tracker {
  return typeof window === 'undefined' ? idleTracker : startTracker(window, options);
}
