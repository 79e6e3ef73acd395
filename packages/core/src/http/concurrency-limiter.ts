import { Unavailable } from '../rejection.ts';

/** The longest time that an admitted request should wait, at the measured pace (milliseconds per request). */
const MAX_WAIT_MS = 2_000;
/**
 * The lower bound of the limit: the size of a full batch of clicks. A lower limit would lead to smaller batches,
 * which would make a slow database even slower.
 */
const MIN_CONCURRENCY = 500;
/** The upper bound of the limit. Each waiting request holds a connection and memory. */
const MAX_CONCURRENCY = 10_000;
/**
 * The maximum number of requests in flight that hash a password. Each process hashes two passwords at a time, and
 * a few dozen per second. If more requests were queued, clients would time out before their passwords are hashed.
 */
const MAX_PASSWORD_CONCURRENCY = MIN_CONCURRENCY;
/**
 * The pace is measured in windows. A window ends after this much idle time or this many requests, whichever
 * comes first. The limit depends on the faster of the last two windows, because a database checkpoint can make a
 * single window slow.
 */
const PACE_WINDOW_MS = 1_000;
const WINDOW_REQUESTS = 1_000;
/** The pace that is assumed until the first measurement. */
const INITIAL_MS_PER_REQUEST = 1;

/**
 * Reads the rest of the body without occupying a slot, so that slow senders do not block other requests.
 * @throws Unavailable if no slot is free after the read
 */
export type WithoutSlot = <T>(read: () => Promise<T>) => Promise<T>;

/**
 * Limits the requests in flight to the number that the database completes within two seconds. All other
 * requests are rejected before they cause any work. Admitted requests therefore get their replies soon.
 *
 * If the requests in flight are fewer than a full batch, the pace is estimated. The estimate assumes that a
 * full batch would take as long as these requests. If the estimate is faster than both the previous pace and
 * the initial pace, the faster one of these two paces is used instead.
 *
 * The pace counts only the time in which this process is idle and waits for the database. If the process
 * itself is the bottleneck, this time is almost zero and no request is rejected. Rejections would then reduce
 * the throughput, because a rejection costs half as much as a click and rejected clients retry.
 */
export class ConcurrencyLimiter {
  readonly #idleMs: () => number;
  readonly #maxLimit: number;
  readonly #withoutSlot: WithoutSlot = async <T>(read: () => Promise<T>) => {
    this.#inFlight -= 1;
    let result: T;
    try {
      result = await read();
    } finally {
      this.#acquire();
    }
    if (this.#inFlight > this.#limit()) throw this.#overloaded();
    return result;
  };
  #inFlight = 0;
  #completedRequests = 0;
  /** The highest number of requests in flight in the current window. */
  #peak = 0;
  #windowFrom = 0;
  #msPerRequest: readonly [last: number, before: number] = [INITIAL_MS_PER_REQUEST, INITIAL_MS_PER_REQUEST];

  /** @param idleMs returns the total idle time of this process */
  constructor(idleMs: () => number, maxLimit: number = MAX_CONCURRENCY) {
    this.#idleMs = idleMs;
    this.#maxLimit = maxLimit;
  }

  /**
   * Handles a request in a slot.
   * @param handleRequest must read the request body through `withoutSlot`
   * @throws Unavailable immediately if no slot is free
   */
  async run<T>(handleRequest: (withoutSlot: WithoutSlot) => Promise<T>): Promise<T> {
    if (this.#inFlight >= this.#limit()) throw this.#overloaded();
    this.#acquire();
    try {
      const result = await handleRequest(this.#withoutSlot);
      this.#measure();
      return result;
    } finally {
      this.#inFlight -= 1;
    }
  }

  #limit(): number {
    return Math.min(this.#maxLimit, Math.max(MIN_CONCURRENCY, MAX_WAIT_MS / Math.min(...this.#msPerRequest)));
  }

  #overloaded(): Unavailable {
    return new Unavailable(`${this.#inFlight} requests are already in flight`);
  }

  #acquire(): void {
    // Idle time with no request in flight must not count toward the pace.
    if (this.#inFlight === 0) this.#startWindow(this.#idleMs());
    this.#inFlight += 1;
    this.#peak = Math.max(this.#peak, this.#inFlight);
  }

  #measure(): void {
    this.#completedRequests += 1;
    const idleMs = this.#idleMs();
    const waitedMs = idleMs - this.#windowFrom;
    if (waitedMs < PACE_WINDOW_MS && this.#completedRequests < WINDOW_REQUESTS) return;
    const [last] = this.#msPerRequest;
    const msPerRequest = waitedMs / this.#completedRequests;
    const best = Math.min(last, INITIAL_MS_PER_REQUEST);
    const isFull = this.#peak >= MIN_CONCURRENCY;
    this.#msPerRequest = [
      isFull ? msPerRequest : Math.max(best, (msPerRequest * this.#peak) / MIN_CONCURRENCY),
      last,
    ];
    this.#startWindow(idleMs);
  }

  #startWindow(idleMs: number): void {
    this.#windowFrom = idleMs;
    this.#completedRequests = 0;
    this.#peak = this.#inFlight;
  }
}

/**
 * Separate limiters for clicks and for requests that hash a password. Anyone can send any number of these
 * requests, and a flood of them must not cause sales to be rejected. In addition, hashing a password takes so long
 * that a shared limiter would conclude that the database is slow.
 */
export interface Limiters {
  readonly clicks: ConcurrencyLimiter;
  readonly passwords: ConcurrencyLimiter;
  readonly default: ConcurrencyLimiter;
}

/** @param idleMs returns the total idle time of this process */
export function createLimiters(idleMs: () => number): Limiters {
  return {
    clicks: new ConcurrencyLimiter(idleMs),
    passwords: new ConcurrencyLimiter(idleMs, MAX_PASSWORD_CONCURRENCY),
    default: new ConcurrencyLimiter(idleMs),
  };
}
