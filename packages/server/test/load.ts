import { setTimeout as sleep } from 'node:timers/promises';

/** Concurrent clients that send events to the servers. They rotate through the servers. */
export interface Load {
  /** A line for each acknowledged event, in the format that core's `findFaults` reads. */
  readonly lines: readonly string[];
  /** The number of failed requests by status. Status 0 means a broken connection. */
  readonly failures: ReadonlyMap<number, number>;
  /** The base URLs of the servers for the next requests. */
  urls: readonly string[];
  /** Resolves when `count` or more events have been acknowledged. */
  acknowledged(count: number): Promise<void>;
  /** Resolves when `count` or more requests have failed. */
  failed(count: number): Promise<void>;
  /** Resolves when all clients have finished their pending requests. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  readonly urls: readonly string[];
  readonly token: string;
  readonly code: string;
  /** The prefix of the transaction ids. */
  readonly prefix: string;
  /** The number of clients that send only clicks. */
  readonly visitors: number;
  /** The number of clients that send a click, a lead and a sale, and that refund every third sale. */
  readonly buyers: number;
}

const RETRY_DELAY_MS = 20;

export function startLoad(options: LoadOptions): Load {
  const lines: string[] = [];
  const failures = new Map<number, number>();
  let isStopping = false;
  let requests = 0;
  const load = { urls: options.urls };

  const post = async (kind: string, body: unknown) => {
    const url = load.urls[requests++ % load.urls.length] ?? '';
    try {
      const response = await fetch(`${url}/api/v1/track/${kind}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${options.token}` },
        body: JSON.stringify(body),
      });
      return {
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        body: (await response.json()) as Record<string, unknown>,
      };
    } catch {
      return { status: 0, retryAfter: null, body: {} };
    }
  };
  /** Retries until the event is acknowledged. Returns `null` if the load is being stopped. */
  const postWithRetry = async (kind: string, body: unknown) => {
    for (;;) {
      const reply = await post(kind, body);
      if (reply.status === 200 || (reply.status === 409 && 'sale_id' in reply.body)) return reply.body;
      failures.set(reply.status, (failures.get(reply.status) ?? 0) + 1);
      if (reply.status === 503 && reply.retryAfter === null) throw new Error('A 503 has no Retry-After');
      if (isStopping) return null;
      await sleep(RETRY_DELAY_MS);
    }
  };
  const click = async () => {
    const body = await postWithRetry('click', {
      affiliate_url: `https://shop.example/?aff=${options.code}`,
    });
    if (body) lines.push(`click ${body['click_id']}`);
    return body?.['click_id'];
  };
  const buy = async (transactionId: string, hasRefund: boolean) => {
    const click_id = await click();
    if (click_id === undefined) return;
    const lead = await post('lead', { click_id });
    if (lead.status === 200) lines.push(`lead ${click_id}`);
    const sale = await postWithRetry('sale', {
      transaction_id: transactionId,
      amount_cents: 1999,
      click_id,
    });
    if (sale) lines.push(`sale ${transactionId} ${sale['sale_id']} ${sale['commission_id']}`);
    if (!sale || !hasRefund) return;
    const refund = await postWithRetry('refund', {
      transaction_id: transactionId,
      refund_amount_cents: 999,
    });
    if (refund) lines.push(`refund ${transactionId}`);
  };
  const repeat = async (step: (round: number) => Promise<unknown>) => {
    for (let round = 0; !isStopping; round++) await step(round);
  };
  const work = Promise.all([
    ...Array.from({ length: options.visitors }, () => repeat(click)),
    ...Array.from({ length: options.buyers }, (_, buyer) =>
      repeat((round) => buy(`${options.prefix}-${buyer}-${round}`, round % 3 === 0)),
    ),
  ]);
  // Prevents an unhandled rejection. `waitUntil` and `stop` rethrow the error.
  work.catch(() => {});
  const waitUntil = async (isReached: () => boolean) => {
    while (!isReached()) await Promise.race([sleep(RETRY_DELAY_MS), work]);
  };
  const countFailures = () => [...failures.values()].reduce((sum, count) => sum + count, 0);
  return Object.assign(load, {
    lines,
    failures,
    acknowledged: (count: number) => waitUntil(() => lines.length >= count),
    failed: (count: number) => waitUntil(() => countFailures() >= count),
    stop: async () => {
      isStopping = true;
      await work;
    },
  });
}
