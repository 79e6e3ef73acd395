import type { ClickData, Lead, Tracker } from './api.ts';
import { trackVisit } from './click.ts';
import { configure, isOn, linker, param, type Settings } from './config.ts';
import { consent, decided, isGranted } from './consent.ts';
import { current, renew, reset } from './kept-click.ts';
import { landingUrl, partnerCode, withParam } from './landing.ts';
import { sendLead } from './lead.ts';
import { decorate, receive, watchLinks } from './linker.ts';
import { flush, release } from './outbox.ts';
import { attempt, emit, flights, guard, joinPage, listen } from './page.ts';
import { watchRoutes } from './routes.ts';
import { read } from './store.ts';

declare global {
  interface Navigator {
    /** Global Privacy Control, where the browser has it. */
    readonly globalPrivacyControl?: boolean;
  }
}

const getClickId = () => (isGranted() && current().click_id) || null;

/** Resolves when what is under way now has its answer. */
const landed = () => Promise.all(Object.values(flights));

let lastCode: string | undefined;
/** Tracks a visit by a code that is new to this page: routers may carry the old one along. */
const arrive = guard(async (url: string) => {
  const code = partnerCode(url, param);
  if (!code || code === lastCode) return;
  lastCode = code;
  await trackVisit(url);
});

const start = guard(async (options: Settings) => {
  const { consent: initial = 'granted', respectGpc = false, auto, spa } = options;
  consent(isOn(respectGpc) && navigator.globalPrivacyControl ? 'denied' : initial);
  if (isOn(auto) && isOn(spa)) watchRoutes(() => arrive(location.href));
  const arrived = isOn(auto) && arrive(landingUrl());
  await decided;
  if (isGranted()) {
    receive();
    renew(current());
  }
  if (linker) watchLinks();
  listen('online pageshow', flush);
  listen('pagehide', release);
  await flush();
  await arrived;
  // What another tracker of the page is at work on is this one's click too.
  await landed();
  emit('ready', { clickId: getClickId() });
});

/** Starts the tracker of this page. */
export function startTracker(options: Settings): Tracker {
  joinPage();
  configure(options);
  const started = start(options);
  return {
    getClickId,
    async ready(callback) {
      await started;
      const id = getClickId();
      if (callback) attempt(() => callback(id));
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
      await landed();
      return isGranted() ? sendLead(lead) : null;
    }, null),
    consent,
    decorate: (url) => (isGranted() ? decorate(url) : url),
    reset,
    debug: () => ({ ...options, consent: isGranted(), clickId: getClickId(), ...read() }),
  };
}
