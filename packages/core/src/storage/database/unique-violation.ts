import type { Transaction } from './engine/engine.ts';

const UNIQUE_VIOLATION_CODES: ReadonlySet<unknown> = new Set([
  // `unique_violation` of Postgres
  '23505',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
]);

/**
 * Runs `step` in a savepoint. If `step` violates a unique constraint, rolls back the savepoint and returns
 * `'taken'`.
 */
export async function catchUniqueViolation<T>(tx: Transaction, step: () => Promise<T>): Promise<T | 'taken'> {
  try {
    return await tx.savepoint(step);
  } catch (error) {
    if (isUniqueViolation(error)) return 'taken';
    throw error;
  }
}

/**
 * Whether a statement failed because it violates a unique constraint. On Postgres, the savepoint or the whole
 * transaction must then be rolled back.
 */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && UNIQUE_VIOLATION_CODES.has(error.code);
}
