import type { ClickData, ClickOutcome } from './api.ts';
import { bots, param } from './config.ts';
import { decided, isGranted } from './consent.ts';
import { current, existingClickId } from './kept-click.ts';
import { partnerCode, withParam } from './landing.ts';
import { submit } from './outbox.ts';
import { say } from './page.ts';
import { isRobot } from './robots.ts';
import { read } from './store.ts';
import { describeVisit } from './visit.ts';

/** Where the server looks for the code, whatever `param` is. */
const SERVER_PARAM = 'aff';
const LANDING_MS = 30 * 60_000;

/** Tracks a visit by the URL that brought it, once in 30 minutes for all tabs and trackers of the site. */
export async function trackVisit(landing: string, data: ClickData = {}): Promise<ClickOutcome> {
  const code = partnerCode(landing, param);
  const url = landing.replace(/#.*/, '');
  const isTest = data['test_mode'];
  const robot = bots !== 'allow' && isRobot();
  const refuse = (reason: string) => {
    say('click', reason);
    return { sent: false, reason } as const;
  };
  await decided;
  if (!code) return refuse('no_code');
  if (!isGranted()) return refuse('consent');
  // Test events are outside of all that: as many as the integrator asks for.
  if (!isTest) {
    if (robot && bots !== 'flag') return refuse('robot');
    const isKnown = read().jobs.some((job) => job.url === url && Date.now() - job.at < LANDING_MS);
    if (isKnown) return refuse('duplicate');
  }
  const reply = await submit(
    'click',
    {
      affiliate_url: withParam(landing, SERVER_PARAM, code),
      ...describeVisit(),
      existing_click_id: existingClickId(current(), code),
    },
    robot ? { robot, ...data } : data,
    isTest ? undefined : url,
  );
  if (!reply) return refuse('queued');
  const { body } = reply;
  return body['success']
    ? { sent: true, clickId: (body['click_id'] as string) || null, partnerCode: code }
    : refuse(`${body['code'] || reply.status}`);
}
