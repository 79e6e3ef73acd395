import type { ClickData, ClickOutcome } from './api.ts';
import { bots, param } from './config.ts';
import { consentDecided, isGranted } from './consent.ts';
import { partnerCode, withParam } from './landing.ts';
import { submit } from './outbox.ts';
import { debugLog, isRecent } from './page.ts';
import { isRobot } from './robots.ts';
import { readState } from './store.ts';
import { currentClick, existingClickId } from './stored-click.ts';
import { takeTurn } from './turn.ts';
import { describeVisit } from './visit.ts';

/** The parameter from which the server reads the code, even if the option `param` is different. */
const SERVER_PARAM = 'aff';
const LANDING_MS = 30 * 60_000;

/**
 * Tracks a visit by its landing URL. A landing URL is tracked only once within 30 minutes, across all tabs
 * and trackers of the site.
 */
export async function trackVisit(landing: string, data: ClickData = {}): Promise<ClickOutcome> {
  const code = partnerCode(landing, param);
  const url = landing.replace(/#.*/, '');
  const isTest = data['test_mode'];
  const robot = bots !== 'allow' && isRobot();
  const refuse = (reason: string) => {
    debugLog('click', reason);
    return { sent: false, reason } as const;
  };
  await consentDecided;
  if (!code) return refuse('no_code');
  if (!isGranted()) return refuse('consent');
  // Test events are never filtered or deduplicated.
  if (!isTest) {
    if (robot && bots !== 'flag') return refuse('robot');
    await takeTurn(url);
    const isKnown = readState().jobs.some((job) => job.url === url && isRecent(job.at, LANDING_MS));
    if (isKnown) return refuse('duplicate');
  }
  const reply = await submit(
    'click',
    {
      affiliate_url: withParam(landing, SERVER_PARAM, code),
      ...describeVisit(),
      existing_click_id: existingClickId(currentClick(), code),
    },
    robot ? { robot, ...data } : data,
    isTest ? undefined : url,
  );
  if (!reply) return refuse('queued');
  return reply['success']
    ? { sent: true, clickId: (reply['click_id'] as string) || null, partnerCode: code }
    : refuse(`${reply['code'] || reply.status || 'failed'}`);
}
