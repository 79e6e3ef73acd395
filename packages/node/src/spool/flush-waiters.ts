import { createDeferred } from '../deferred.ts';

interface Waiter {
  readonly pendingEntries: Set<string>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The pending `flush` calls. Each waits for the entries that were in the backlog when `flush` was called. An entry is
 * settled when it has left the backlog.
 */
export class FlushWaiters {
  readonly #waiters = new Set<Waiter>();

  /** Returns a promise that resolves when all these entries are settled, and a function that rejects it early. */
  wait(entryNames: readonly string[]): { settled: Promise<void>; reject: (error: unknown) => void } {
    const { promise, resolve, reject } = createDeferred<void>();
    const waiter = { pendingEntries: new Set(entryNames), resolve, reject };
    if (entryNames.length === 0) resolve();
    else this.#waiters.add(waiter);
    return { settled: promise.finally(() => this.#waiters.delete(waiter)), reject };
  }

  settle(entryName: string): void {
    for (const { pendingEntries, resolve } of this.#waiters) {
      if (pendingEntries.delete(entryName) && pendingEntries.size === 0) resolve();
    }
  }

  reject(error: unknown): void {
    for (const { reject } of this.#waiters) reject(error);
  }
}
