import { createHash, randomBytes } from 'node:crypto';
import { eventKeys } from '../event-keys.ts';
import type { SpooledEvent } from './spool.ts';

/** A spooled event. Its file name contains everything that ordering needs, so no file has to be read. */
export interface Entry {
  readonly name: string;
  /** The sort key of the delivery order. */
  readonly order: string;
  readonly isLead: boolean;
  /** Hashes of the event's ordering keys. Events that share a key are sent in order. */
  readonly keys: readonly string[];
}

/** Letters that sort leads before sales before refunds, even if the clocks of the writing processes differ. */
export const LETTERS = { lead: 'a', sale: 'b', refund: 'c' } as const;
const ENTRY_NAME = /^\d{15}-\d{6}-[0-9a-f]{8}-([abc])-((?:[0-9a-f]{16}\.)+)json$/;

const MAX_NAMES_PER_MS = 999_999;
/** With more keys, the name of the file in `dead/` that contains the reason would be longer than 255 characters. */
const MAX_KEYS = 12;

/** Creates file names in ascending order, even if the clock is set back. */
export class EntryNamer {
  readonly #maxPerMs: number;
  readonly #nonce = randomBytes(4).toString('hex');
  #lastMs = 0;
  #count = 0;

  /** @param maxPerMs maximum number of names with the same timestamp; at most six digits. @default 999999 */
  constructor(maxPerMs: number = MAX_NAMES_PER_MS) {
    this.#maxPerMs = maxPerMs;
  }

  next(event: SpooledEvent, nowMs: number): string {
    // A clock may count fractions of a millisecond, but a name consists of integers.
    if (nowMs >= this.#lastMs + 1) [this.#lastMs, this.#count] = [Math.floor(nowMs), 0];
    this.#count += 1;
    if (this.#count > this.#maxPerMs) [this.#lastMs, this.#count] = [this.#lastMs + 1, 0];
    const time = `${String(this.#lastMs).padStart(15, '0')}-${String(this.#count).padStart(6, '0')}`;
    return `${time}-${this.#nonce}-${LETTERS[event.operation]}-${keysOf(event.body).join('.')}.json`;
  }

  /**
   * Makes later names sort after `name`, which another process may have created with a clock that is ahead.
   */
  follow(name: string): void {
    const writtenMs = Number(name.slice(0, 15));
    if (writtenMs >= this.#lastMs) [this.#lastMs, this.#count] = [writtenMs + 1, 0];
  }
}

/** Parses a file name. Returns undefined if it is not the name of a spooled event. */
export function readEntry(name: string): Entry | undefined {
  const [, letter, keys = ''] = ENTRY_NAME.exec(name) ?? [];
  if (letter === undefined) return undefined;
  return {
    name,
    order: `${letter}${name}`,
    isLead: letter === LETTERS.lead,
    keys: keys.slice(0, -1).split('.'),
  };
}

/**
 * Returns at least one key. An event without ordering keys gets a hash of its body, so that it waits for no
 * other event.
 */
function keysOf(body: string): string[] {
  const keys = eventKeys(body).slice(0, MAX_KEYS);
  return (keys.length > 0 ? keys : [body]).map(hashOf);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
