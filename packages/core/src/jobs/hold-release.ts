import type { Runtime } from '../runtime.ts';
import { approveReleased, findDueHolds } from '../storage/money/holds.ts';

const AT_ONCE = 500;

/** Approves commissions whose hold has passed. @returns whether there may be more */
export async function releaseHolds(runtime: Runtime): Promise<boolean> {
  const now = runtime.now();
  const due = await findDueHolds(runtime.engine.read, now, AT_ONCE);
  for (const holds of due) {
    await runtime.engine.write(holds.workspaceId, (tx) => approveReleased(tx, holds, now));
  }
  return due.reduce((sum, { count }) => sum + count, 0) === AT_ONCE;
}
