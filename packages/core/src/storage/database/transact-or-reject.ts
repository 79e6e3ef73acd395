import { isRejection, type Rejection } from '../../rejection.ts';
import type { Engine, Work } from './engine/engine.ts';
import { rollbackWhen } from './rollback-when.ts';

/** Runs a unit of work in a transaction of the lane. Rolls back if it returns a `Rejection`. */
export function transactOrReject<T>(
  engine: Engine,
  lane: number,
  work: Work<T | Rejection>,
): Promise<T | Rejection> {
  return rollbackWhen((transact) => engine.write(lane, transact), work, isRejection);
}
