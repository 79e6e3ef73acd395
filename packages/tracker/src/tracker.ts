import type { ClickData, Tracker } from './api.ts';
import { trackVisit } from './click.ts';
import { configure } from './config.ts';
import { type BrowserWindow, emit, say, sharedState } from './context.ts';
import { current, forget, renew } from './kept-click.ts';
import { landingUrl, partnerCode, withCode } from './landing.ts';
import { sendLead } from './lead.ts';
import { flush, release } from './outbox.ts';
import { watchRoutes } from './routes.ts';
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

  async function track(url: string, data?: ClickData) {
    const outcome = await trackVisit(context, url, data);
    say(context, 'click', outcome);
    return outcome;
  }

  let lastCode: string | undefined;
  /** Tracks a visit by a code that is new to this page: routers may carry the old one along. */
  async function arrive(url: string): Promise<void> {
    const code = partnerCode(url, config.param);
    if (!code || code === lastCode) return;
    lastCode = code;
    await track(url);
  }

  const started = safely(async () => {
    if ('prerendering' in document && document.prerendering) {
      await new Promise((resume) => document.addEventListener('prerenderingchange', resume));
    }
    win.addEventListener('online', () => safely(() => flush(context), 0));
    win.addEventListener('pagehide', () => release(context));
    renew(context);
    if (config.auto) watchRoutes(win, () => safely(() => arrive(win.location.href), 0));
    await Promise.all([flush(context), config.auto && arrive(landingUrl(win, config.param))]);
  }, 0).then(() => emit(context, 'ready', { clickId: getClickId() }));

  return {
    getClickId,
    ready(callback) {
      const ready = started.then(getClickId);
      if (callback) safely(() => ready.then(callback), 0);
      return ready;
    },
    trackClick: (code, data) =>
      safely(
        () => {
          const url = landingUrl(win, config.param);
          return track(code ? withCode(url, config.param, code) : url, data);
        },
        { sent: false, reason: 'failed' },
      ),
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
