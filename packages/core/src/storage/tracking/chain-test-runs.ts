import type { Transaction } from '../database/engine/engine.ts';
import { lockRow } from '../database/lock-row.ts';

/**
 * Records a run of the program's chain test, which sends a click, a lead, and a sale in test mode. If there have been
 * `limit` runs after `since`, the new run is not recorded. Runs at `since` or earlier are deleted. The program is
 * locked until the transaction ends, so that concurrent calls cannot exceed the limit.
 * @returns null when the run was recorded; otherwise, the time of the oldest run that counts toward the limit
 */
export async function claimChainTest(
  tx: Transaction,
  programId: number,
  at: number,
  { limit, since }: { readonly limit: number; readonly since: number },
): Promise<number | null> {
  await lockRow(tx, 'programs', programId);
  await tx.db
    .deleteFrom('chain_tests')
    .where('program_id', '=', programId)
    .where('run_at', '<=', since)
    .execute();
  const runs = await tx.db
    .selectFrom('chain_tests')
    .select('run_at')
    .where('program_id', '=', programId)
    .orderBy('run_at', 'desc')
    .limit(limit)
    .execute();
  const oldest = runs[limit - 1];
  if (oldest) return oldest.run_at;
  await tx.db.insertInto('chain_tests').values({ program_id: programId, run_at: at }).execute();
  return null;
}
