import { sql } from 'kysely';
import type { Transaction } from '../engine/engine.ts';

/**
 * Lets the transaction read the shards of a Citus cluster one after the other. After a read over several connections at
 * the same time, Citus would reject changes of reference tables, such as `partners`, in the same transaction.
 */
export async function readShardsInOrder({ db, isCluster }: Transaction): Promise<void> {
  if (isCluster) await sql`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`.execute(db);
}
