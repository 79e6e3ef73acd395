import { randomInt } from 'node:crypto';
import { SLOTS } from './engine.ts';
import type { Session } from './postgres-session.ts';

/** First key of the advisory locks, so that they meet no one else's. */
const LOCK_CLASS = 0x61666b;

/**
 * Which of the rows of each counter this process adds to: one that no other process has taken, so that they
 * don't wait for each other. Two that share a slot wait, but count right.
 */
export class Slot {
  #value = randomInt(SLOTS);
  #holder: Session | undefined;

  get value(): number {
    return this.#value;
  }

  /** Takes a slot for as long as `session` lives, unless another session of this process has one. */
  async claim(session: Session): Promise<void> {
    if (this.#holder && !this.#holder.isLost) return;
    this.#holder = session;
    const { rows } = await session.query(
      `SELECT slot FROM generate_series(0, ${SLOTS - 1}) AS slot
       WHERE pg_try_advisory_lock(${LOCK_CLASS}, slot) LIMIT 1`,
    );
    const [free] = rows as { slot: number }[];
    if (free) this.#value = free.slot;
  }
}
