import type { Engine, Work } from './engine/engine.ts';

const MAX_CONFLICT_ATTEMPTS = 5;

/** Thrown when another process has stored a unique value since this transaction looked for it. */
export class UniqueConflict extends Error {
  override readonly name = 'UniqueConflict';
}

/**
 * Runs `work` in a transaction. If it throws `UniqueConflict`, the transaction is rolled back and retried,
 * and the retry finds the stored value. Gives up after 5 attempts.
 */
export async function retryOnConflict<T>(engine: Engine, lane: number, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await engine.write(lane, work);
    } catch (error) {
      if (!(error instanceof UniqueConflict) || attempt === MAX_CONFLICT_ATTEMPTS) throw error;
    }
  }
}
