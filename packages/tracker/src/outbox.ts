import type { ClickTracked } from '@affkit/protocol';
import type { ClickData } from './api.ts';
import { endpoints, program } from './config.ts';
import { debugLog, emit, guard, inFlight } from './page.ts';
import { sessionId } from './session.ts';
import { DROP, type Job, type OpenJob, putJob, readState } from './store.ts';
import { currentClick, storeClick, toStoredClick } from './stored-click.ts';
import { post, RETRYABLE, type Reply } from './transport.ts';

const FIRST_DELAY_MS = 1_000;
/** Delays triple, so the third attempt is the last attempt of this page. */
const LAST_DELAY_MS = 9_000;
/** A longer `Retry-After` leaves the job to a later page. */
const MAX_DELAY_MS = 30_000;
/** Longer than an attempt and the delay after it, so that no other tab sends the same job meanwhile. */
const HOLD_MS = 60_000;

/**
 * Sends a request with up to three attempts, all with the same body and idempotency key. The job is stored
 * before the first attempt and removed after the response, so that the next page can send it if this page is
 * closed.
 * @returns the response; undefined if the job remains in the queue, or if a reset dropped the job
 */
export function submit(kind: Job['kind'], body: OpenJob['body'], data?: ClickData, url?: string) {
  const at = Date.now();
  // biome-ignore lint/style/useTemplate: shorter in the script.
  const key = at + '-' + Math.random();
  const additional_data = { program_id: program, ...data, idempotency_key: key };
  return run({ key, at, kind, url, body: { page_url: location.href, ...body, additional_data } });
}

function run(job: OpenJob): Promise<Reply | undefined> {
  // biome-ignore lint/suspicious/noAssignInExpressions: shorter in the script.
  return (inFlight[job.key] = deliver(job).finally(() => delete inFlight[job.key]));
}

async function deliver(job: OpenJob): Promise<Reply | undefined> {
  const isLead = job.kind === 'lead';
  for (let delay = FIRST_DELAY_MS; ; delay *= 3) {
    const { body } = job;
    if (isLead) body.click_id = body.click_id || currentClick().click_id;
    if (isLead && !body.click_id) {
      if (readState().jobs.some((other) => other.kind === 'click' && other.body)) putJob(job, 0);
      return void debugLog('lead', 'no_click');
    }
    // Not earlier, because a lead without a click must store nothing.
    body.session_id = body.session_id || sessionId();
    putJob(job, HOLD_MS);
    const reply = await post(`${endpoints}/${job.kind}`, body);
    debugLog(job.kind, reply);
    if (!inFlight[job.key]) return undefined;
    if (!RETRYABLE.test(reply.status as unknown as string)) {
      settle(job, reply);
      return reply;
    }
    const wait = Math.max(reply.waitMs, delay * (0.5 + Math.random()));
    if (delay === LAST_DELAY_MS || wait > MAX_DELAY_MS) {
      putJob(job, reply.waitMs);
      return undefined;
    }
    await new Promise((resume) => setTimeout(resume, wait));
    if (!inFlight[job.key]) return undefined;
  }
}

/**
 * Stores a tracked click. Removes the job of a rejected landing, so that the next visit can send it again.
 */
function settle({ body: _, ...job }: Job, answer: Reply & Partial<ClickTracked>): void {
  putJob(job, job.url && answer.success ? 0 : DROP);
  if (!answer.click_id) return;
  const click = toStoredClick(answer as ClickTracked, job.at, currentClick());
  if (click) storeClick(click);
  emit('click', { clickId: answer.click_id, partnerCode: answer.partner_code });
}

const isDue = (job: Job) =>
  job.body &&
  !((job.held as number) > Date.now()) &&
  !inFlight[job.key] &&
  (job.kind === 'click' || job.body.click_id || currentClick().click_id);

/** Sends the jobs of earlier pages in order until one fails. A lead without a click id waits for a click. */
export const flush: () => Promise<void> = guard(async () => {
  const job = readState().jobs.find(isDue) as OpenJob | undefined;
  if (job && (await run(job))) await flush();
});

/** Releases the jobs of this page, so that the next page can send them at once. */
export function release(): void {
  for (const job of readState().jobs) if (inFlight[job.key]) putJob(job, 0);
}
