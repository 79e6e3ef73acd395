import { createHash, randomBytes } from 'node:crypto';
import { eventKeys } from '../event-keys.ts';
import type { SpooledEvent } from './spool.ts';

/** A kept event as its file name tells it, so that the order is known without a look inside. */
export interface Entry {
  readonly name: string;
  /** Sorts before everything that must be sent later. */
  readonly order: string;
  readonly isLead: boolean;
  /** Hashes of what it is about. Of events that share one, the earlier is sent first. */
  readonly keys: readonly string[];
}

/** Leads before sales before refunds, however the clocks of the processes that wrote them stand. */
const LETTERS = { lead: 'a', sale: 'b', refund: 'c' } as const;
const NAME = /^\d{15}-\d{6}-[0-9a-f]{8}-([abc])-((?:[0-9a-f]{16}\.)+)json$/;

const MAX_NAMES_PER_MS = 999_999;

/** Makes names that rise also when the clock is set back. */
export class Namer {
  readonly #maxPerMs: number;
  readonly #nonce = randomBytes(4).toString('hex');
  #lastMs = 0;
  #count = 0;

  /** @param maxPerMs names with one timestamp; at most six digits. @default 999999 */
  constructor(maxPerMs: number = MAX_NAMES_PER_MS) {
    this.#maxPerMs = maxPerMs;
  }

  next(event: SpooledEvent, nowMs: number): string {
    if (nowMs > this.#lastMs) [this.#lastMs, this.#count] = [nowMs, 0];
    this.#count += 1;
    if (this.#count > this.#maxPerMs) [this.#lastMs, this.#count] = [this.#lastMs + 1, 0];
    const parts = [
      String(this.#lastMs).padStart(15, '0'),
      String(this.#count).padStart(6, '0'),
      this.#nonce,
      LETTERS[event.operation],
      `${keysOf(event.body).join('.')}.json`,
    ];
    return parts.join('-');
  }

  /** Continues after a name that is there already, which may come from a clock that was ahead. */
  follow(name: string): void {
    const writtenMs = Number(name.slice(0, 15));
    if (writtenMs >= this.#lastMs) [this.#lastMs, this.#count] = [writtenMs + 1, 0];
  }
}

/** The entry of a file name; undefined for files that are something else. */
export function readEntry(name: string): Entry | undefined {
  const [, letter, keys] = NAME.exec(name) ?? [];
  if (letter === undefined || keys === undefined) return undefined;
  return {
    name,
    order: `${letter}${name}`,
    isLead: letter === LETTERS.lead,
    keys: keys.slice(0, -1).split('.'),
  };
}

/** At least one: an event that is about nothing waits for nobody. */
function keysOf(body: string): string[] {
  const keys = eventKeys(body).map(hashOf);
  return keys.length > 0 ? keys : [hashOf(body)];
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
