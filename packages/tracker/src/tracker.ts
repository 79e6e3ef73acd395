import type { ClickData, Lead, Tracker } from './api.ts';
import { trackVisit } from './click.ts';
import { configure, isEnabled, linker, param, type Settings } from './config.ts';
import { consent, consentDecided, isGranted } from './consent.ts';
import { landingUrl, partnerCode, withParam } from './landing.ts';
import { sendLead } from './lead.ts';
import { decorate, receiveClick, watchLinks } from './linker.ts';
import { flush, release } from './outbox.ts';
import { attempt, emit, guard, inFlight, joinPageState, listen } from './page.ts';
import { watchRoutes } from './routes.ts';
import { sessionId } from './session.ts';
import { readState, reset } from './store.ts';
import { currentClick, renewCookie } from './stored-click.ts';

declare global {
  interface Navigator {
    /** Undefined in browsers without Global Privacy Control. */
    readonly globalPrivacyControl?: boolean;
  }
}

const getClickId = () => (isGranted() && currentClick().click_id) || null;

/** Resolves when all currently pending requests are done. */
const waitForInFlight = () => Promise.all(Object.values(inFlight));

let lastCode: string | undefined;
/**
 * Tracks a visit if its code is new to this page. Routers may keep the old code in their URLs. Every page and route
 * of a visitor with a click also extends the session.
 */
const trackNewCode = guard(async (url: string) => {
  const code = partnerCode(url, param);
  if (code && code !== lastCode) {
    lastCode = code;
    await trackVisit(url);
  }
  await consentDecided;
  if (getClickId()) sessionId();
});

const start = guard(async (options: Settings) => {
  const { consent: initial = 'granted', respectGpc = false, auto, spa } = options;
  consent(isEnabled(respectGpc) && navigator.globalPrivacyControl ? 'denied' : initial);
  if (isEnabled(auto) && isEnabled(spa)) watchRoutes(() => trackNewCode(location.href));
  const landing = isEnabled(auto) && trackNewCode(landingUrl());
  await consentDecided;
  if (isGranted()) renewCookie(currentClick());
  if (linker) {
    receiveClick();
    watchLinks();
  }
  listen('online pageshow', flush);
  listen('pagehide', release);
  await flush();
  await landing;
  // Another tracker of the page may still be sending the click.
  await waitForInFlight();
  emit('ready', { clickId: getClickId() });
});

/** Starts the tracker of this page. */
export function startTracker(options: Settings): Tracker {
  joinPageState();
  configure(options);
  const started = start(options);
  return {
    getClickId,
    async ready(callback) {
      await started;
      const id = getClickId();
      attempt(() => (callback as NonNullable<typeof callback>)(id));
      return id;
    },
    trackClick: guard(
      (code?: string, data?: ClickData) => {
        const url = landingUrl();
        return trackVisit(code ? withParam(url, param, code) : url, data);
      },
      { sent: false, reason: 'failed' },
    ),
    trackLead: guard(async (lead: Lead) => {
      await started;
      await waitForInFlight();
      return isGranted() ? sendLead(lead) : null;
    }, null),
    consent,
    decorate,
    reset,
    debug: () => ({ ...options, consent: isGranted(), clickId: getClickId(), ...readState() }),
  };
}
