import type { ClickTracked } from '@affkit/protocol';
import type { ClickData } from './api.ts';
import { endpoints, program } from './config.ts';
import { consentDecided, isGranted } from './consent.ts';
import { debugLog, emit, idle, inFlight } from './page.ts';
import { sessionId } from './session.ts';
import { DROP, type Job, type OpenJob, putJob, readState } from './store.ts';
import { currentClick, storeAnswer } from './stored-click.ts';
import { post, type Reply } from './transport.ts';

/** The minimum delay before the first retry. The random delay is up to twice as long. */
const FIRST_DELAY_MS = 500;
const DELAY_FACTOR = 8;
/**
 * The maximum delay before a retry by this page. If `Retry-After` is longer, or if the third attempt failed, a later
 * page sends the job.
 */
const MAX_DELAY_MS = 30_000;
/**
 * How long a job is reserved for this page. This is longer than an attempt plus the following delay, so that
 * no other tab sends the job in the meantime.
 */
const HOLD_MS = 60_000;

/**
 * Returns the click id for a lead. It is null while a click has no response yet, and `''` if there is no
 * click.
 */
export const clickIdOf = (lead: OpenJob['body']) =>
  lead.click_id ||
  (readState().jobs.some((job) => job.body && job.kind === 'click') ? null : currentClick().click_id);

/**
 * Sends the first job that no page or tab is sending, such as a job of an earlier page. When the job has its
 * response, the next one is sent. The jobs are therefore sent in order until one fails. A lead without a click
 * id waits for the response to its click. Without consent, nothing is read or sent.
 */
export function flush(): void {
  isGranted &&
    readState().jobs.some(
      (job) =>
        job.body &&
        !inFlight[job.key] &&
        // If the clock was ahead when the job was stored, `held` and `at` are both in the future. Do not wait then.
        !((job.held as number) > Date.now() && Date.now() >= job.at) &&
        (job.kind === 'click' || clickIdOf(job.body)) &&
        run(job as OpenJob),
    );
}

/**
 * Sends a request with up to three attempts. All attempts have the same body and idempotency key. The job is
 * stored before the first attempt, and stays in the queue until its final response. If this page is closed, the
 * next page can therefore send it.
 * @returns the response, or undefined if the job remains in the queue, was dropped by a reset, or is a lead
 * without a click
 */
export function submit(kind: Job['kind'], body: OpenJob['body'], data?: ClickData, url?: Job['url']) {
  const at = Date.now();
  // biome-ignore lint/style/useTemplate: shorter in the script.
  const key = at + '-' + Math.random();
  return run({
    at,
    body: {
      page_url: location.href,
      ...body,
      additional_data: { program_id: program, ...data, idempotency_key: key },
    },
    url,
    kind,
    key,
  });
}

function run(job: OpenJob): Promise<Reply | undefined> {
  // biome-ignore lint/suspicious/noAssignInExpressions: shorter in the script.
  return (inFlight[job.key] = deliver(job).finally(() => delete inFlight[job.key]));
}

async function deliver(job: OpenJob): Promise<Reply | undefined> {
  const { body, kind, key } = job;
  if (kind === 'lead') {
    // Store the lead before waiting, so that it is not lost if the visitor leaves the page.
    putJob(job, HOLD_MS);
    await Promise.all(Object.values(inFlight));
    if (!inFlight[key]) return undefined;
    const id = clickIdOf(body);
    // If the id is null, the lead waits in the queue. If it is `''`, the value of `DROP`, the lead is removed.
    if (!id) return putJob(job, id as null | typeof DROP);
    body.click_id = id;
  }
  for (let delay = FIRST_DELAY_MS; ; delay *= DELAY_FACTOR) {
    body.session_id = body.session_id || sessionId();
    putJob(job, HOLD_MS);
    const reply = await post(`${endpoints}/${kind}`, body);
    // Store the reply when the page is idle, so that storing does not delay the page. `idle` also resolves when the
    // visitor leaves.
    await idle();
    // Consent may have become pending during the request. A denial removes all jobs from `inFlight`.
    await consentDecided;
    debugLog(kind, reply);
    if (!inFlight[key]) return undefined;
    // A status is 0 or has three digits. After a status that the expression matches, the same request may succeed
    // later. Any other status is final. 425 is the server's response to a prerendered page.
    if (!/^5|408|42[59]|^0/.test(reply.status as unknown as string) || origin === 'null') {
      settle(job, reply);
      flush();
      return reply;
    }
    const wait = Math.max(reply.waitMs, delay + Math.random() * delay);
    if (wait > MAX_DELAY_MS) return putJob(job, reply.waitMs);
    await new Promise((resume) => setTimeout(resume, wait));
    await consentDecided;
    if (!inFlight[key]) return undefined;
  }
}

/**
 * Handles the final response to a job. The job of a recorded landing is kept, so that the landing is not tracked again.
 * Any other job is removed, so that the next visit can track a rejected landing again.
 */
function settle({ body: _, ...job }: Job, answer: Reply & Partial<ClickTracked>): void {
  putJob(job, job.url && answer.success ? 0 : DROP);
  if (!answer.click_id) return;
  storeAnswer(answer as ClickTracked, job.at);
  emit('click', { clickId: answer.click_id, partnerCode: answer.partner_code });
}

/**
 * Releases the jobs of this page, so that the next page can send them immediately. Without consent, nothing is read or
 * stored.
 */
export function release(): void {
  isGranted && readState().jobs.map((job) => inFlight[job.key] && putJob(job, 0));
}
