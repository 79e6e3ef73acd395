import { setTimeout as sleep } from 'node:timers/promises';

/** Visitors and a shop's backend, over HTTP, at as many servers as there are. */
export interface Crowd {
  /** A line for each event that was acknowledged, as `findFaults` of core's tools reads them. */
  readonly lines: readonly string[];
  /** How often each other status came; 0 where the connection broke. */
  readonly refusals: ReadonlyMap<number, number>;
  /** Where the next requests go. */
  urls: readonly string[];
  /** Ends when so many lines, or refusals, have come. */
  reached(count: number): Promise<void>;
  refused(count: number): Promise<void>;
  /** Lets everybody finish what they do. */
  stop(): Promise<void>;
}

export interface CrowdOptions {
  readonly urls: readonly string[];
  readonly token: string;
  readonly code: string;
  /** Starts the transaction ids. */
  readonly prefix: string;
  readonly visitors: number;
  /** Each clicks, signs up, buys, and has every third sale refunded. */
  readonly buyers: number;
}

/** Between two tries of the same request. */
const PAUSE_MS = 20;

export function startCrowd(options: CrowdOptions): Crowd {
  const lines: string[] = [];
  const refusals = new Map<number, number>();
  let isOver = false;
  let turn = 0;
  const crowd = { urls: options.urls };

  const post = async (kind: string, body: unknown) => {
    const url = crowd.urls[turn++ % crowd.urls.length] ?? '';
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
  /** Sends the same again until it is answered for good, or the end has come. */
  const insist = async (kind: string, body: unknown) => {
    for (;;) {
      const reply = await post(kind, body);
      if (reply.status === 200 || (reply.status === 409 && 'sale_id' in reply.body)) return reply.body;
      refusals.set(reply.status, (refusals.get(reply.status) ?? 0) + 1);
      if (reply.status === 503 && reply.retryAfter === null) throw new Error('A 503 has no Retry-After');
      if (isOver) return null;
      await sleep(PAUSE_MS);
    }
  };
  const click = async () => {
    const body = await insist('click', { affiliate_url: `https://shop.example/?aff=${options.code}` });
    if (body) lines.push(`click ${body['click_id']}`);
    return body?.['click_id'];
  };
  const buy = async (transactionId: string, hasRefund: boolean) => {
    const click_id = await click();
    if (click_id === undefined) return;
    const lead = await post('lead', { click_id });
    if (lead.status === 200) lines.push(`lead ${click_id}`);
    const sale = await insist('sale', { transaction_id: transactionId, amount_cents: 1999, click_id });
    if (sale) lines.push(`sale ${transactionId} ${sale['sale_id']} ${sale['commission_id']}`);
    if (!sale || !hasRefund) return;
    const refund = await insist('refund', { transaction_id: transactionId, refund_amount_cents: 999 });
    if (refund) lines.push(`refund ${transactionId}`);
  };
  const repeat = async (step: (turn: number) => Promise<unknown>) => {
    for (let round = 0; !isOver; round++) await step(round);
  };
  const work = Promise.all([
    ...Array.from({ length: options.visitors }, () => repeat(click)),
    ...Array.from({ length: options.buyers }, (_, buyer) =>
      repeat((round) => buy(`${options.prefix}-${buyer}-${round}`, round % 3 === 0)),
    ),
  ]);
  // Whoever waits for it hears of it.
  work.catch(() => {});
  const until = async (isReached: () => boolean) => {
    while (!isReached()) await Promise.race([sleep(PAUSE_MS), work]);
  };
  const countRefusals = () => [...refusals.values()].reduce((sum, count) => sum + count, 0);
  return Object.assign(crowd, {
    lines,
    refusals,
    reached: (count: number) => until(() => lines.length >= count),
    refused: (count: number) => until(() => countRefusals() >= count),
    stop: async () => {
      isOver = true;
      await work;
    },
  });
}
