import { randomInt } from 'node:crypto';
import { COUNTER_SLOTS } from './engine.ts';
import type { PostgresSession } from './postgres-session.ts';

/** First key of these advisory locks, so that they don't collide with other advisory locks. */
const LOCK_CLASS = 0x61666b;

/**
 * The counter row that this process adds to. Each process tries to use a row that no other process uses, so
 * that they don't wait for each other's locks. If two processes share a row, they do wait, but the counts are
 * still correct.
 */
export class CounterSlot {
  #value = randomInt(COUNTER_SLOTS);
  #owner: PostgresSession | undefined;

  get value(): number {
    return this.#value;
  }

  /**
   * Claims a free slot for the lifetime of `session`, unless another live session of this process has claimed
   * one.
   */
  async claim(session: PostgresSession): Promise<void> {
    if (this.#owner && !this.#owner.isLost) return;
    this.#owner = session;
    const { rows } = await session.query(
      `SELECT slot FROM generate_series(0, ${COUNTER_SLOTS - 1}) AS slot
       WHERE pg_try_advisory_lock(${LOCK_CLASS}, slot) LIMIT 1`,
    );
    const [free] = rows as { slot: number }[];
    if (free) this.#value = free.slot;
  }
}
