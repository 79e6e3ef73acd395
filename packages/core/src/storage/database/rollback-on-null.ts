import type { Transaction } from './engine/engine.ts';

/** Runs `step` and undoes it, alone, where it comes to null. */
export async function rollbackOnNull<T>(tx: Transaction, step: () => Promise<T | null>): Promise<T | null> {
  try {
    return await tx.savepoint(async () => {
      const result = await step();
      if (result === null) throw new Undo();
      return result;
    });
  } catch (error) {
    if (error instanceof Undo) return null;
    throw error;
  }
}

class Undo extends Error {}
