import { AsyncLocalStorage } from 'node:async_hooks';
import type { RunningServer } from '@affkit/server';
import { type Owner, signIn } from '../api.ts';
import type { SeededDemo } from '../demo-state.ts';
import { planCalls } from './agenda.ts';
import { planMilestones } from './milestones.ts';
import { DAY_MS, HISTORY_DAYS, type Plan, type TrackingCall } from './plan.ts';

/** Number of calls that are sent concurrently. Their replies do not depend on each other. */
const BATCH = 64;

/** The clock of a server that records a history. Each request has its own time. */
export class HistoryClock {
  readonly #request = new AsyncLocalStorage<{ readonly time: number; isRunning: boolean }>();
  /** The time that the clock shows to code outside of requests, in epoch milliseconds. */
  #time: number;

  constructor(time: number) {
    this.#time = time;
  }

  readonly now = (): number => {
    const request = this.#request.getStore();
    // A callback of a connection or timer gets the store of the request that created the connection or timer, even
    // after that request has ended. Do not use the time of a request that has ended.
    return request?.isRunning ? request.time : this.#time;
  };

  /** Runs `work` while the clock shows `time`. */
  async at<T>(time: number, work: () => Promise<T>): Promise<T> {
    this.#time = Math.max(this.#time, time);
    const request = { time, isRunning: true };
    try {
      return await this.#request.run(request, work);
    } finally {
      request.isRunning = false;
    }
  }
}

export function planHistory(present: number, shopUrl: string): Plan {
  const start = Math.floor(present / DAY_MS) * DAY_MS - HISTORY_DAYS * DAY_MS;
  return { start, end: present, shopUrl };
}

/**
 * Records 90 days of visits, sign-ups, sales, refunds and payouts through the API that shops call. Each demo gets
 * the same history.
 * @param server its clock is `clock`, and its database contains only what `seedDemo` has created
 */
export async function recordHistory(
  { affkit, url }: RunningServer,
  clock: HistoryClock,
  { plan, owner, demo }: { plan: Plan; owner: Owner; demo: SeededDemo },
): Promise<void> {
  const clickIds = new Map<number, string>();
  const handle = async (
    path: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    ip: string | null,
  ) => {
    const reply = await affkit.handle({
      method: 'POST',
      path,
      query: new URLSearchParams(),
      header: (name) => headers[name],
      body: async () => Buffer.from(body),
      ip,
      secure: false,
    });
    // The cast is safe because all routes that the history calls reply with JSON.
    return { status: reply?.status ?? 404, body: reply?.body as { readonly click_id?: string } };
  };
  const send = async (call: TrackingCall) => {
    const clickId = call.needsClickId && { click_id: clickIds.get(call.visit) };
    const { origin } = call.browser ?? {};
    const headers = {
      'content-type': 'application/json',
      ...(call.browser === undefined && { authorization: `Bearer ${demo.token}` }),
      ...(origin !== undefined && { origin }),
    };
    const text = JSON.stringify({ ...call.body, ...clickId });
    const reply = await handle(`/api/v1/track/${call.route}`, text, headers, call.browser?.ip ?? null);
    if (reply.status >= 400 !== (call.isRejected === true)) {
      throw new Error(`${call.route} ${text}: ${reply.status} ${JSON.stringify(reply.body)}`);
    }
    if (reply.body.click_id !== undefined) clickIds.set(call.visit, reply.body.click_id);
  };

  const calls = planCalls(plan);
  let next = 0;
  const sendUntil = async (time: number) => {
    while (next < calls.length && (calls[next]?.at ?? 0) < time) {
      const batch = takeBatch(calls, next, time);
      await Promise.all(batch.map((call) => clock.at(call.at, () => send(call))));
      next += batch.length;
    }
  };
  for (const { at, run } of planMilestones(plan)) {
    await sendUntil(at);
    await clock.at(at, async () => {
      const api = await signIn(url, owner);
      const tools = { api, programId: demo.programId, runJobs: () => affkit.jobs.runOnce() };
      await run({
        ...tools,
        send: async (path, body, headers) => {
          const reply = await handle(path, body, headers, null);
          if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
        },
      });
    });
  }
  await sendUntil(plan.end);
  await clock.at(plan.end, () => affkit.jobs.runOnce());
}

/**
 * Takes up to `BATCH` calls, beginning at position `first`. Stops before a call whose time is `time` or later, and
 * before a second call of the same visit.
 */
function takeBatch(calls: readonly TrackingCall[], first: number, time: number): readonly TrackingCall[] {
  const visits = new Set<number>();
  const batch: TrackingCall[] = [];
  for (let index = first; index < calls.length && batch.length < BATCH; index++) {
    const call = calls[index];
    if (call === undefined || call.at >= time || visits.has(call.visit)) break;
    visits.add(call.visit);
    batch.push(call);
  }
  return batch;
}
