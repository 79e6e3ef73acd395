import { Unavailable } from '../rejection.ts';

/** Longest wait that a request is taken on for, at the pace of those before it. */
const MAX_WAIT_MS = 2_000;
/** Taken on at any pace: a full batch, without which a slow database would be slower still. */
const MIN_LIMIT = 500;
/** At any pace too, for each that waits holds a connection and its memory. */
const MAX_LIMIT = 10_000;
/** Passwords are hashed two at a time, some dozens a second: the last of more would wait for longer than a client does. */
const MAX_PASSWORD_LIMIT = MIN_LIMIT;
/**
 * The pace is measured over so much waiting, or so many answers where there is less to wait for. The better one of two
 * counts: a checkpoint is no slow database.
 */
const WINDOW_MS = 1_000;
const WINDOW_ANSWERS = 1_000;
/** The pace that is supposed before any was measured. */
const FIRST_MS_EACH = 1;

/**
 * Reads what is still to come of a request without a place in the room: those who send slowly would keep out the others.
 * @throws Unavailable when there is no place by the time that it has come
 */
export type WithoutSlot = <T>(read: () => Promise<T>) => Promise<T>;

/**
 * How many requests may be under way at once: as many as the database answers within two seconds. One more is refused
 * before any work is done for it, so that whoever is taken on is answered soon.
 *
 * Where fewer than a full batch are under way, a full one would be answered in the same time, for all that is known. That
 * pace counts then, but none better than what is supposed, or was measured, of many at once.
 *
 * The database's pace is measured by the time in which this process has nothing to do but wait for it. Where it is
 * the process itself that is at its limit, this is none, and nobody is refused for it: to refuse costs half of what a
 * click costs, and whoever is refused comes again, so that the more were refused the fewer would be answered.
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
  #answered = 0;
  /** Most that were under way at once in the window. */
  #peak = 0;
  #windowFrom = 0;
  #msEach: readonly [last: number, before: number] = [FIRST_MS_EACH, FIRST_MS_EACH];

  /** @param idleMs for how long this process has had nothing to do so far */
  constructor(idleMs: () => number, maxPlaces: number = MAX_LIMIT) {
    this.#idleMs = idleMs;
    this.#maxLimit = maxPlaces;
  }

  /**
   * Answers a request within the room.
   * @param work is to read the request's body aside
   * @throws Unavailable at once when there is no place
   */
  async run<T>(work: (aside: WithoutSlot) => Promise<T>): Promise<T> {
    if (this.#inFlight >= this.#limit()) throw this.#overloaded();
    this.#acquire();
    try {
      const result = await work(this.#withoutSlot);
      this.#measure();
      return result;
    } finally {
      this.#inFlight -= 1;
    }
  }

  #limit(): number {
    return Math.min(this.#maxLimit, Math.max(MIN_LIMIT, MAX_WAIT_MS / Math.min(...this.#msEach)));
  }

  #overloaded(): Unavailable {
    return new Unavailable(`${this.#inFlight} requests are under way already`);
  }

  #acquire(): void {
    // While nothing was under way there was no pace.
    if (this.#inFlight === 0) this.#startWindow(this.#idleMs());
    this.#inFlight += 1;
    this.#peak = Math.max(this.#peak, this.#inFlight);
  }

  #measure(): void {
    this.#answered += 1;
    const idleMs = this.#idleMs();
    const waitedMs = idleMs - this.#windowFrom;
    if (waitedMs < WINDOW_MS && this.#answered < WINDOW_ANSWERS) return;
    const [last] = this.#msEach;
    const msEach = waitedMs / this.#answered;
    const best = Math.min(last, FIRST_MS_EACH);
    const isFull = this.#peak >= MIN_LIMIT;
    this.#msEach = [isFull ? msEach : Math.max(best, (msEach * this.#peak) / MIN_LIMIT), last];
    this.#startWindow(idleMs);
  }

  #startWindow(idleMs: number): void {
    this.#windowFrom = idleMs;
    this.#answered = 0;
    this.#peak = this.#inFlight;
  }
}

/**
 * What anybody may send any number of has a room of its own, so that too many of it keep no sale out: clicks, and what
 * hashes passwords, for which the wait would pass for a slow database besides.
 */
export interface Limiters {
  readonly clicks: ConcurrencyLimiter;
  readonly passwords: ConcurrencyLimiter;
  readonly others: ConcurrencyLimiter;
}

/** @param idleMs for how long this process has had nothing to do so far */
export function createLimiters(idleMs: () => number): Limiters {
  return {
    clicks: new ConcurrencyLimiter(idleMs),
    passwords: new ConcurrencyLimiter(idleMs, MAX_PASSWORD_LIMIT),
    others: new ConcurrencyLimiter(idleMs),
  };
}
