import type { Runtime } from '../runtime.ts';
import { approveReleased, findDueHolds } from '../storage/money/holds.ts';

const HOLD_RELEASE_BATCH_SIZE = 500;

/**
 * Approves commissions whose hold period has ended, one batch at a time.
 * @returns whether more work may be due
 */
export async function releaseHolds(runtime: Runtime): Promise<boolean> {
  const now = runtime.now();
  const due = await findDueHolds(runtime.engine.read, now, HOLD_RELEASE_BATCH_SIZE);
  for (const holds of due) {
    await runtime.engine.write(holds.workspaceId, (tx) => approveReleased(tx, holds, now));
  }
  return due.reduce((sum, { count }) => sum + count, 0) === HOLD_RELEASE_BATCH_SIZE;
}
