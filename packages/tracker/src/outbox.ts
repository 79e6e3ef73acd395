import type { ClickTracked } from '@affkit/protocol';
import { type Context, emit, say } from './context.ts';
import { current, keep } from './kept-click.ts';
import { type Job, read, update } from './store.ts';
import { isFinal, post, type Reply } from './transport.ts';

const TRIES = 3;
const FIRST_PAUSE_MS = 1_000;
/** A longer `Retry-After` is not waited for in the page. */
const MAX_PAUSE_MS = 30_000;
/** Longer than one try and the pause after it, so that another tab does not send the same job meanwhile. */
const HOLD_MS = 60_000;

/**
 * Delivers a job: it is stored before the first try and removed when it is answered, so a page that goes
 * away leaves it to the next one. Three tries in the page, all with the same body and key.
 * @returns the answer; undefined when the job is left in the store, or was dropped by a reset
 */
export function run(context: Context, job: Job): Promise<Reply | undefined> {
  const { flights } = context.shared;
  flights[job.key] = Promise.resolve();
  const flight = attempt(context, job).finally(() => delete flights[job.key]);
  flights[job.key] = flight;
  return flight;
}

async function attempt(context: Context, job: Job): Promise<Reply | undefined> {
  const put = (heldUntil?: number) =>
    update(context, (saved) => {
      saved.jobs = saved.jobs.filter(({ key }) => key !== job.key);
      if (heldUntil) saved.jobs.push({ ...job, heldUntil });
    });
  for (let tries = 1; context.shared.flights[job.key]; tries++) {
    put(Date.now() + HOLD_MS);
    const body = job.kind === 'lead' ? { click_id: current(context).id, ...job.body } : job.body;
    const reply = await post(context.win, `${context.config.baseUrl}/api/v1/track/${job.kind}`, body);
    say(context, job.kind, reply);
    if (!context.shared.flights[job.key]) break;
    if (isFinal(reply.status)) {
      put();
      if (job.kind === 'click') settle(context, job.landing, job.at, reply.body);
      return reply;
    }
    const pause = Math.max(reply.retryAfterMs, FIRST_PAUSE_MS * 3 ** (tries - 1) * (0.5 + Math.random()));
    if (tries === TRIES || pause > MAX_PAUSE_MS) {
      put(Date.now() + reply.retryAfterMs);
      break;
    }
    await new Promise((resume) => context.win.setTimeout(resume, pause));
  }
  return undefined;
}

/** Keeps what was tracked. A refused landing is forgotten: the next visit may try it again. */
function settle(context: Context, landing: string, at: number, answer: Reply['body']): void {
  if (answer['click_id']) {
    const tracked = answer as unknown as ClickTracked;
    keep(context, tracked, at);
    emit(context, 'click', { clickId: tracked.click_id, partnerCode: tracked.partner_code });
  } else if (!answer['success']) {
    update(context, (saved) => {
      saved.landings = saved.landings.filter(({ url }) => url !== landing);
    });
  }
}

/** Sends what earlier pages left. Clicks first: leads without a click id wait for them. */
export async function flush(context: Context): Promise<void> {
  for (const kind of ['click', 'lead']) {
    const due = read(context).jobs.filter(
      (job) =>
        job.kind === kind &&
        job.heldUntil <= Date.now() &&
        !context.shared.flights[job.key] &&
        (job.kind === 'click' || job.body.click_id || current(context).id),
    );
    await Promise.all(due.map((job) => run(context, job)));
  }
}

/** Lets the next page take up at once what this one is at work on. */
export function release(context: Context): void {
  if (!Object.keys(context.shared.flights).length) return;
  update(context, ({ jobs }) => {
    for (const job of jobs) if (context.shared.flights[job.key]) job.heldUntil = 0;
  });
}
