import { randomInt } from 'node:crypto';
import { COUNTER_SLOTS } from './engine.ts';
import type { PostgresSession } from './postgres-session.ts';

/** The first key of the advisory locks on slots. Other advisory locks use other first keys. */
const LOCK_CLASS = 0x61666b;

/**
 * The slot of the counter rows that this process adds to. If possible, each process has its own slot, so that
 * processes do not wait for each other's locks. The counts are correct even if two processes share a slot.
 */
export class CounterSlot {
  #value = randomInt(COUNTER_SLOTS);
  #owner: PostgresSession | undefined;

  get value(): number {
    return this.#value;
  }

  /**
   * Claims an unused slot for the lifetime of `session`. Does nothing if another live session of this process
   * has claimed a slot.
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
