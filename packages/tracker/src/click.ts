import type { ClickData, ClickOutcome } from './api.ts';
import { bots, param } from './config.ts';
import { consentDecided, isGranted } from './consent.ts';
import { partnerCode, withParam } from './landing.ts';
import { release, submit } from './outbox.ts';
import { attempt, debugLog, idle, inFlight, isRecent, listen } from './page.ts';
import { isRobot } from './robots.ts';
import { readState } from './store.ts';
import { currentClick } from './stored-click.ts';
import { describeVisit } from './visit.ts';

/** The parameter from which the server reads the code, even if the option `param` is different. */
const SERVER_PARAM = 'aff';
const LANDING_MS = 30 * 60_000;
/** After this time, other tabs can read what this tab has stored, even on a busy machine. */
const SYNC_MS = 1_000;

/**
 * Resolves when the latest visit of this tracker may use cookie, storage and network. The visit waits until no other
 * tab is tracking the same landing URL, and then until the page is idle. If the visitor leaves, the wait ends early.
 */
export let turn: Promise<unknown> | undefined;

/**
 * Tracks a visit by its landing URL. A landing URL is tracked only once within 30 minutes, across all tabs
 * and trackers of the site. Leads wait for the visit.
 */
export async function trackVisit(landing: string, data?: ClickData): Promise<ClickOutcome> {
  // biome-ignore lint/complexity/useOptionalChain: its es2019 form is longer.
  const isTest = data && data['test_mode'];
  const url = landing.split('#')[0] as string;
  const code = partnerCode(landing, param);
  const robot = (bots !== 'allow' && isRobot()) || undefined;
  const refuse = (reason: string) => {
    debugLog('click', reason);
    return { sent: false, reason } as const;
  };
  await consentDecided;
  if (!code) return refuse('no_code');
  if (!isGranted) return refuse('consent');
  // Test events are never filtered or deduplicated.
  if (!isTest && robot && bots !== 'flag') return refuse('robot');
  // biome-ignore lint/suspicious/noAssignInExpressions: shorter in the script.
  return (inFlight[url] = (async (): Promise<ClickOutcome> => {
    if (!isTest) {
      turn = new Promise((go) => {
        const hold = async () => {
          go(await idle());
          // Hold the lock until other tabs can read the stored visit. The wait starts after the idle time, because the
          // page may have been busy before.
          return new Promise((end) => setTimeout(end, SYNC_MS));
        };
        // `navigator.locks` is undefined on http and in older browsers. In frames with an opaque origin, the request
        // for the lock is rejected.
        (async () => navigator.locks.request(url, hold))().catch(hold);
        listen('pagehide', go);
        // The job is stored after `go`, so `release` must run in a later listener. The listener is a new function,
        // because `release` itself may already be registered, and would keep its earlier place.
        listen('pagehide', () => release());
      });
      await turn;
      // During the wait, consent may have become pending again.
      await consentDecided;
      // The tracker may have been reset. A denial of consent also resets it.
      if (!inFlight[url]) return refuse('reset');
      const isKnown = readState().jobs.some((job) => job.url === url && isRecent(job.at, LANDING_MS));
      if (isKnown) return refuse('duplicate');
    }
    const click = currentClick();
    const reply = await submit(
      'click',
      {
        affiliate_url: withParam(landing, SERVER_PARAM, code),
        ...attempt(describeVisit),
        // The server reuses the customer of this click id. With `last_click`, a visit through another partner's link
        // must create a new customer, so the click id is left out. With `first_click`, the customer never changes. The
        // server ignores the case of codes.
        ...((click.attribution_model === 'first_click' ||
          code.toLowerCase() === `${click.attributed_partner_code}`.toLowerCase()) && {
          existing_click_id: click.click_id,
        }),
      },
      { robot, ...data },
      !isTest && url,
    );
    if (!reply) return refuse('queued');
    return reply['success']
      ? { sent: true, partnerCode: code, clickId: (reply['click_id'] as string) || null }
      : refuse(`${reply['code'] || reply.status || 'failed'}`);
  })()) as Promise<ClickOutcome>;
}
