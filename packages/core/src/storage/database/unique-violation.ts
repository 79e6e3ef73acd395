import type { Transaction } from './engine/engine.ts';

const CODES: ReadonlySet<unknown> = new Set([
  // Postgres: unique_violation
  '23505',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
]);

/** Runs `step`, or undoes it and returns `'taken'` where it met a unique constraint. */
export async function catchUniqueViolation<T>(tx: Transaction, step: () => Promise<T>): Promise<T | 'taken'> {
  try {
    return await tx.savepoint(step);
  } catch (error) {
    if (isUniqueViolation(error)) return 'taken';
    throw error;
  }
}

/** Did the database refuse a row because another has its place? On Postgres nothing more can be done after it. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CODES.has(error.code);
}
