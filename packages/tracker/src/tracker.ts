import type { ClickData, Tracker } from './api.ts';
import { trackVisit, turn } from './click.ts';
import { configure, isEnabled, linker, param, type Settings } from './config.ts';
import { consent, consentDecided, isGranted } from './consent.ts';
import { landingUrl, partnerCode, withParam } from './landing.ts';
import { sendLead } from './lead.ts';
import { clickIdOf, flush, release } from './outbox.ts';
import { attempt, debugLog, emit, guard, idle, inFlight, joinPageState, listen, pageState } from './page.ts';
import { receiveClick } from './receive-click.ts';
import { watchRoutes } from './routes.ts';
import { sessionId } from './session.ts';
import { readState, reset } from './store.ts';
import { currentClick, renewCookie } from './stored-click.ts';

declare global {
  interface Navigator {
    /** Undefined in browsers that do not support Global Privacy Control. */
    readonly globalPrivacyControl?: boolean;
  }
}

const getClickId = () => (isGranted && currentClick().click_id) || null;

let lastCode: string | undefined;
/**
 * Tracks a visit if its partner code differs from the last one on this page. This check is needed because routers may
 * keep the old code in their URLs. Each page load and route change also extends the session of a visitor who has a
 * click.
 */
const trackNewCode = guard(async (url: string) => {
  const code = partnerCode(url, param);
  if (code && code !== lastCode) {
    lastCode = code;
    await trackVisit(url);
  }
  await consentDecided;
  await idle();
  if (getClickId()) sessionId();
});

const start = guard(async (options: Settings, debug: Tracker['debug']) => {
  const { consent: initial = 'granted', respectGpc = false } = options;
  consent(isEnabled(respectGpc) && navigator.globalPrivacyControl ? 'denied' : initial);
  if (isEnabled(options.auto)) {
    trackNewCode(landingUrl());
    // In a module, `watchRoutes` throws if the page has made the methods of `history` read-only.
    attempt(() => isEnabled(options.spa) && watchRoutes(() => trackNewCode(location.href)));
  }
  await consentDecided;
  if (linker) {
    receiveClick();
    pageState[2] = debug;
    // Check later, because the linker's tag may be below the tracker's tag. `click` is for trackers that
    // start after `pageshow`.
    listen('pageshow click', () => pageState[3] || debugLog('add', 'affkit-linker.js'));
  }
  // Wait for idle time before the first access to cookie and storage, because the access would delay the page. For a
  // landing, `turn` already includes this wait.
  const turnOrIdle = turn || idle();
  // If the visitor leaves first, the listeners of `turn` and of `idle` end the wait, and jobs are sent. `release` must
  // be registered after these listeners, so that it releases these jobs too. Later visits register it again.
  listen('pagehide', release);
  await turnOrIdle;
  // Consent may have become pending during the wait. The visit waits for consent too, and began to wait earlier. Its
  // job is therefore already in `inFlight` when the wait below ends.
  await consentDecided;
  flush();
  listen('pageshow online', flush);
  const before = getClickId();
  // Also wait for the landing, which is sent after `turn` has resolved, and for clicks of another tracker of the page.
  await Promise.all(Object.values(inFlight));
  // Another tab may have stored a new cookie, or may be about to store one. Do not overwrite it with an older click.
  if (isGranted && before === clickIdOf({})) renewCookie(currentClick());
  emit('ready', { clickId: getClickId() });
});

/** Starts the tracker of this page. */
export function startTracker(options: Settings): Tracker {
  joinPageState();
  configure(options);
  const debug = () => ({
    ...options,
    clickId: getClickId(),
    consent: isGranted,
    ...(isGranted && readState()),
  });
  const started = start(options, debug);
  return {
    async ready(callback) {
      await started;
      attempt(() => (callback as NonNullable<typeof callback>)(getClickId()));
      return getClickId();
    },
    consent,
    decorate: (url) => (pageState[3] ? pageState[3](url) : url),
    debug,
    getClickId,
    reset,
    trackLead: guard(sendLead, null),
    trackClick: guard(
      (code?: string, data?: ClickData) => {
        const url = landingUrl();
        return trackVisit(code ? withParam(url, param, code) : url, data);
      },
      { sent: false, reason: 'failed' },
    ),
  };
}
