import { isRejection, type Rejection } from '../../rejection.ts';
import type { Engine, Work } from './engine/engine.ts';
import { rollbackWhen } from './rollback-when.ts';

/**
 * Runs a unit of work in a transaction. Rolls back if the work returns a `Rejection`.
 * @param lane the lane of the transaction, see {@link Engine.write}
 */
export function transactOrReject<T>(
  engine: Engine,
  lane: number,
  work: Work<T | Rejection>,
): Promise<T | Rejection> {
  return rollbackWhen((transact) => engine.write(lane, transact), work, isRejection);
}
