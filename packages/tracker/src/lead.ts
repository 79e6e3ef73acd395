import type { ErrorCode } from '@affkit/protocol';
import type { Lead, LeadAnswer } from './api.ts';
import { type Context, say } from './context.ts';
import { current } from './kept-click.ts';
import { run } from './outbox.ts';
import { type Job, newJob, read, update } from './store.ts';

const alreadyRecorded: ErrorCode = 'lead_already_recorded';

/** Reports a signup by the current click, which it waits for. Without a click nothing is sent. */
export async function sendLead(context: Context, lead: Lead): Promise<LeadAnswer | null> {
  const { win, shared } = context;
  await Promise.all(Object.values(shared.flights));
  const clickId = lead.click_id || current(context).id;
  const job: Job = {
    ...newJob(win),
    kind: 'lead',
    body: { page_url: win.location.href, ...lead, click_id: clickId },
  };
  if (!clickId) {
    const isClickLeft = read(context).jobs.some(({ kind }) => kind === 'click');
    say(context, 'lead: no click', { isClickLeft });
    if (isClickLeft) update(context, ({ jobs }) => jobs.push(job));
    return null;
  }
  const reply = await run(context, job);
  if (!reply) return null;
  const { success, code, error, message } = reply.body;
  const duplicate = code === alreadyRecorded;
  return success || duplicate ? { success: true, message: `${message || error}`, duplicate } : null;
}
