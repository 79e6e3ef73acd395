import type { Transaction } from '../database/engine/engine.ts';
import { lockRow } from '../database/lock-row.ts';

/**
 * Counts a run of the program's chain test, unless there were `limit` of them since `since`. The program's row stays
 * locked until the work ends, so that of several at once no more than that are let through. Older runs are forgotten.
 * @returns null when it is counted, else when the oldest of those runs was
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
