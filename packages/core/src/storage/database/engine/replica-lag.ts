/**
 * A position in the primary's log. Everything that was committed before the time `at` (in milliseconds) is
 * below the position.
 */
interface WrittenPosition {
  readonly at: number;
  readonly position: number;
}

const MAX_POSITIONS = 600;
const MIN_SPACING_MS = 2_000;

/**
 * Computes how far a replica is behind its primary. This lag is the age of the latest known position that the replica
 * has replayed.
 */
export class ReplicaLag {
  /** Positions that the replica has not replayed, oldest first. */
  #pending: WrittenPosition[] = [];
  #replayedAt: number | null = null;

  /** The minimum time between two pending positions. It doubles when too many positions are pending. */
  #spacingMs = 0;

  addWritten(written: WrittenPosition): void {
    const last = this.#pending.at(-1);
    // Skip a position that is too close to the last one. With fewer positions, the lag may be overestimated, but
    // never underestimated.
    if (last && written.at - last.at < this.#spacingMs) return;
    this.#pending.push(written);
    if (this.#pending.length <= MAX_POSITIONS) return;
    this.#spacingMs = Math.max(MIN_SPACING_MS, this.#spacingMs * 2);
    this.#pending = this.#pending.filter((_, index) => index % 2 === 0);
  }

  setReplayed(position: number): void {
    const replayed = this.#pending.filter((written) => written.position <= position);
    this.#replayedAt = replayed.at(-1)?.at ?? this.#replayedAt;
    this.#pending = this.#pending.slice(replayed.length);
    if (this.#pending.length === 0) this.#spacingMs = 0;
  }

  /** Returns the lag in milliseconds, or null if it is unknown. */
  lagMs(now: number): number | null {
    return this.#replayedAt === null ? null : Math.max(0, now - this.#replayedAt);
  }
}
