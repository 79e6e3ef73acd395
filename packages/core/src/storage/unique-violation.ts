import type { Transaction } from './engine/engine.ts';

const CODES: ReadonlySet<unknown> = new Set([
  // Postgres: unique_violation
  '23505',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
]);

/** Runs `step`, or undoes it and returns `'taken'` where it met a unique constraint. */
export async function unlessTaken<T>(tx: Transaction, step: () => Promise<T>): Promise<T | 'taken'> {
  try {
    return await tx.savepoint(step);
  } catch (error) {
    if (error instanceof Error && 'code' in error && CODES.has(error.code)) return 'taken';
    throw error;
  }
}
