import { isRejection, type Rejection } from '../../rejection.ts';
import type { Engine, Work } from './engine/engine.ts';

/** A work that comes to a rejection leaves no trace, whatever it wrote before. */
export async function transactOrReject<T>(
  engine: Engine,
  lane: number,
  work: Work<T | Rejection>,
): Promise<T | Rejection> {
  try {
    return await engine.write(lane, async (tx) => {
      const result = await work(tx);
      if (isRejection(result)) throw new Undo(result);
      return result;
    });
  } catch (error) {
    if (error instanceof Undo) return error.rejection;
    throw error;
  }
}

/** Makes the engine roll the work back. */
class Undo extends Error {
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(rejection.message);
    this.rejection = rejection;
  }
}
