import type { Transaction } from './engine/engine.ts';
import { rollbackWhen } from './rollback-when.ts';

/**
 * Runs `step` in a savepoint, and rolls back the savepoint if `step` returns null. The rest of the
 * transaction is not affected.
 */
export function rollbackOnNull<T>(tx: Transaction, step: () => Promise<T | null>): Promise<T | null> {
  return rollbackWhen(
    (work) => tx.savepoint(work),
    step,
    (result) => result === null,
  );
}
