import type { Transaction } from './engine/engine.ts';

/**
 * Runs `work` in a transaction or savepoint, and rolls it back when `mustRollBack` returns true for the
 * result.
 * @param begin opens the transaction, passes it to `work`, and rolls back when `work` throws
 * @returns the result of `work`, even if it was rolled back
 */
export async function rollbackWhen<T, Args extends unknown[]>(
  begin: (work: (...args: Args) => Promise<T>) => Promise<T>,
  work: (...args: Args) => Promise<T>,
  mustRollBack: (result: T) => boolean,
): Promise<T> {
  try {
    return await begin(async (...args) => {
      const result = await work(...args);
      if (mustRollBack(result)) throw new RolledBack(result);
      return result;
    });
  } catch (error) {
    // `begin` rolls back only when its callback throws. This error therefore carries the result of `work`.
    if (error instanceof RolledBack) return error.result as T;
    throw error;
  }
}

/** Runs `step` in a savepoint; see `rollbackWhen`. The rest of the transaction is not affected. */
export function rollbackStepWhen<T>(
  tx: Transaction,
  step: () => Promise<T>,
  mustRollBack: (result: T) => boolean,
): Promise<T> {
  return rollbackWhen((work: () => Promise<T>) => tx.savepoint(work), step, mustRollBack);
}

class RolledBack extends Error {
  readonly result: unknown;

  constructor(result: unknown) {
    super('The transaction was rolled back');
    this.result = result;
  }
}
