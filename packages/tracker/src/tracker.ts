import type { ClickData, Tracker } from './api.ts';
import { trackVisit } from './click.ts';
import { configure } from './config.ts';
import { type BrowserWindow, emit, say, sharedState } from './context.ts';
import { current, forget, renew } from './kept-click.ts';
import { landingUrl, withCode } from './landing.ts';
import { sendLead } from './lead.ts';
import { flush, release } from './outbox.ts';
import { read } from './store.ts';

/** Starts a tracker on a page. Several on one page share their work: a landing is tracked once. */
export function startTracker(win: BrowserWindow, options: Parameters<typeof configure>[0]): Tracker {
  const config = configure(options, win.location.href);
  const shared = sharedState(win);
  const context = { win, config, shared };
  const { document } = win;
  const getClickId = () => current(context).id || null;

  /** The last line of defence: whatever fails must not reach the page. */
  async function safely<T, U>(work: () => T | Promise<T>, otherwise: U): Promise<T | U> {
    try {
      return await work();
    } catch (error) {
      say(context, 'failed', error);
      return otherwise;
    }
  }

  async function track(code?: string, data?: ClickData) {
    const url = landingUrl(win, config.param);
    const outcome = await trackVisit(
      context,
      code ? withCode(url, config.param, code) : url,
      document.referrer,
      data,
    );
    say(context, 'click', outcome);
    return outcome;
  }

  const started = safely(async () => {
    if ('prerendering' in document && document.prerendering) {
      await new Promise((resume) => document.addEventListener('prerenderingchange', resume));
    }
    win.addEventListener('online', () => safely(() => flush(context), 0));
    win.addEventListener('pagehide', () => release(context));
    renew(context);
    await Promise.all([flush(context), config.auto && track()]);
  }, 0).then(() => emit(context, 'ready', { clickId: getClickId() }));

  return {
    getClickId,
    ready(callback) {
      const ready = started.then(getClickId);
      if (callback) safely(() => ready.then(callback), 0);
      return ready;
    },
    trackClick: (code, data) => safely(() => track(code, data), { sent: false, reason: 'failed' }),
    trackLead: (lead) => safely(() => started.then(() => sendLead(context, lead)), null),
    reset() {
      shared.flights = {};
      forget(context);
    },
    debug() {
      const { click, jobs } = read(context);
      return { clickId: getClickId(), click, queued: jobs.length, ...config };
    },
  };
}
