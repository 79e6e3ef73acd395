import { createDeferred } from '../deferred.ts';

interface Waiter {
  readonly names: Set<string>;
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
    const waiter = { names: new Set(entryNames), ...createDeferred<void>() };
    if (entryNames.length === 0) waiter.resolve();
    else this.#waiters.add(waiter);
    return { settled: waiter.promise.finally(() => this.#waiters.delete(waiter)), reject: waiter.reject };
  }

  settle(entryName: string): void {
    for (const { names, resolve } of this.#waiters) {
      if (names.delete(entryName) && names.size === 0) resolve();
    }
  }

  reject(error: unknown): void {
    for (const { reject } of this.#waiters) reject(error);
  }
}
