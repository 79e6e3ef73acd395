import type { Engine, Work } from './engine/engine.ts';

const TRIES = 5;

/** Another process took what must be unique between this work's look-up and its write. */
export class UniqueConflict extends Error {
  override readonly name = 'TakenMeanwhile';
}

/** A work that came too late for something unique leaves no trace, and is run again: now it finds who has it. */
export async function retryOnConflict<T>(engine: Engine, lane: number, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await engine.write(lane, work);
    } catch (error) {
      if (!(error instanceof UniqueConflict) || attempt === TRIES) throw error;
    }
  }
}
