import type { ClickTracked } from '@affkit/protocol';
import type { ClickData } from './api.ts';
import { endpoints, program } from './config.ts';
import { current, keep, keptClick } from './kept-click.ts';
import { emit, flights, guard, say } from './page.ts';
import { DROP, type Job, type OpenJob, put, read } from './store.ts';
import { isFinal, post, type Reply } from './transport.ts';

const FIRST_PAUSE_MS = 1_000;
/** Each pause is three times the one before, so the third try is the last. */
const LAST_PAUSE_MS = 9_000;
/** A longer `Retry-After` is not waited for in the page. */
const MAX_PAUSE_MS = 30_000;
/** Longer than one try and the pause after it, so that another tab does not send the same job meanwhile. */
const HOLD_MS = 60_000;

/**
 * Delivers a request: it is stored before the first try and removed when it is answered, so a page that goes
 * away leaves it to the next one. Three tries in the page, all with the same body and key.
 * @returns the answer; undefined when the request is left in the store, or was dropped by a reset
 */
export function submit(kind: Job['kind'], body: OpenJob['body'], data?: ClickData, url?: string) {
  const at = Date.now();
  const key = `${at}-${Math.random()}`;
  const additional_data = { program_id: program, ...data, idempotency_key: key };
  return run({ key, at, kind, url, body: { ...body, additional_data } });
}

function run(job: OpenJob): Promise<Reply | undefined> {
  const flight = deliver(job).finally(() => delete flights[job.key]);
  flights[job.key] = flight;
  return flight;
}

async function deliver(job: OpenJob): Promise<Reply | undefined> {
  const isLead = job.kind === 'lead';
  for (let pause = FIRST_PAUSE_MS; ; pause *= 3) {
    const body = isLead ? { click_id: current().click_id, ...job.body } : job.body;
    if (isLead && !body.click_id) {
      if (read().jobs.some((other) => other.kind === 'click' && other.body)) put(job, 0);
      say('lead', 'no_click');
      return undefined;
    }
    put(job, HOLD_MS);
    const reply = await post(`${endpoints}/${job.kind}`, body);
    say(job.kind, reply);
    if (!flights[job.key]) return undefined;
    if (isFinal(reply.status)) {
      settle(job, reply.body);
      return reply;
    }
    const wait = Math.max(reply.waitMs, pause * (0.5 + Math.random()));
    if (pause === LAST_PAUSE_MS || wait > MAX_PAUSE_MS) {
      put(job, reply.waitMs);
      return undefined;
    }
    await new Promise((resume) => setTimeout(resume, wait));
    if (!flights[job.key]) return undefined;
  }
}

/** Keeps what was tracked. A refused landing is forgotten: the next visit may try it again. */
function settle({ body: _, ...job }: Job, answer: Reply['body'] & Partial<ClickTracked>): void {
  put(job, job.url && answer.success ? 0 : DROP);
  if (!answer.click_id) return;
  const click = keptClick(answer as ClickTracked, job.at, current());
  if (click) keep(click);
  emit('click', { clickId: answer.click_id, partnerCode: answer.partner_code });
}

const isDue = (job: Job) =>
  job.body &&
  (job.held || 0) <= Date.now() &&
  !flights[job.key] &&
  (job.kind === 'click' || job.body.click_id || current().click_id);

/** Sends what earlier pages left, one after the other, until one fails. A lead without a click id waits for a click. */
export const flush: () => Promise<void> = guard(async () => {
  const job = read().jobs.find(isDue) as OpenJob | undefined;
  if (job && (await run(job))) await flush();
});

/** Lets the next page take up at once what this one is at work on. */
export function release(): void {
  for (const job of read().jobs) if (flights[job.key]) put(job, 0);
}
