import type { Transaction } from './engine/engine.ts';

const UNIQUE_VIOLATION_CODES: ReadonlySet<unknown> = new Set([
  // `unique_violation` of Postgres
  '23505',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
]);

/**
 * Runs `step` in a savepoint. Rolls back to it and returns `'taken'` when the step violates a unique
 * constraint.
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
 * Whether a statement failed because it violates a unique constraint. On Postgres the transaction can then
 * only be rolled back, to a savepoint or as a whole.
 */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && UNIQUE_VIOLATION_CODES.has(error.code);
}
