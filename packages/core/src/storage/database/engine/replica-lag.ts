/** A position in the primary's log, and a time before which everything up to it was written, in milliseconds. */
interface WrittenPosition {
  readonly at: number;
  readonly position: number;
}

const MAX_POSITIONS = 600;

/**
 * Computes how far a replica is behind its primary: the age of the latest known position of the primary that the
 * replica has replayed.
 */
export class ReplicaLag {
  /** Positions that the replica has not replayed, oldest first. */
  #pending: WrittenPosition[] = [];
  #replayedAt: number | null = null;

  addWritten(written: WrittenPosition): void {
    this.#pending.push(written);
    // With fewer positions, the lag may be overestimated, but never underestimated.
    if (this.#pending.length > MAX_POSITIONS)
      this.#pending = this.#pending.filter((_, index) => index % 2 === 0);
  }

  setReplayed(position: number): void {
    const replayed = this.#pending.filter((written) => written.position <= position);
    this.#replayedAt = replayed.at(-1)?.at ?? this.#replayedAt;
    this.#pending = this.#pending.slice(replayed.length);
  }

  /** Returns the lag in milliseconds, or null if it is unknown. */
  lagMs(now: number): number | null {
    return this.#replayedAt === null ? null : Math.max(0, now - this.#replayedAt);
  }
}
