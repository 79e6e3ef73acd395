import type { ClickData, ClickOutcome } from './api.ts';
import { existingClickId } from './attribution.ts';
import type { Context } from './context.ts';
import { current } from './kept-click.ts';
import { partnerCode, withCode } from './landing.ts';
import { run } from './outbox.ts';
import { newJob, read, update } from './store.ts';
import { describeVisit } from './visit.ts';

/** Where the server looks for the code, whatever `param` is. */
const SERVER_PARAM = 'aff';

/** Tracks a visit by the URL that brought it, once in 30 minutes for all tabs and trackers of the site. */
export async function trackVisit(context: Context, url: string, data?: ClickData): Promise<ClickOutcome> {
  const code = partnerCode(url, context.config.param);
  if (!code) return { sent: false, reason: 'no_code' };
  const landing = url.replace(/#.*/, '');
  const job = newJob(context.win);
  // Test events are outside of all that: as many as the integrator asks for.
  if (!data?.['test_mode']) {
    if (read(context).landings.some(({ url }) => url === landing))
      return { sent: false, reason: 'duplicate' };
    update(context, ({ landings }) => landings.push({ url: landing, at: job.at }));
  }
  const reply = await run(context, {
    ...job,
    kind: 'click',
    landing,
    body: {
      affiliate_url: withCode(url, SERVER_PARAM, code),
      ...describeVisit(context.win),
      existing_click_id: existingClickId(current(context), code),
      additional_data: { ...data, idempotency_key: job.key },
    },
  });
  if (!reply) return { sent: false, reason: 'queued' };
  const { success, click_id, code: reason } = reply.body;
  return success
    ? { sent: true, clickId: click_id ? `${click_id}` : null, partnerCode: code }
    : { sent: false, reason: `${reason || reply.status}` };
}
