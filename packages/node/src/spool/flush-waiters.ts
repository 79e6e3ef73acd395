interface Waiter {
  readonly names: Set<string>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The pending `flush` calls, each waiting until certain entries are settled. */
export class FlushWaiters {
  readonly #waiters = new Set<Waiter>();

  /** Returns a promise that resolves when all names are settled, and a function that rejects it early. */
  wait(names: readonly string[]): { settled: Promise<void>; reject: (error: unknown) => void } {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { names: new Set(names), resolve, reject };
    if (names.length === 0) resolve();
    else this.#waiters.add(waiter);
    return { settled: promise.finally(() => this.#waiters.delete(waiter)), reject };
  }

  settle(name: string): void {
    for (const { names, resolve } of this.#waiters) {
      if (names.delete(name) && names.size === 0) resolve();
    }
  }

  reject(error: unknown): void {
    for (const { reject } of this.#waiters) reject(error);
  }
}
