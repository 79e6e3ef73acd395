import { DAY_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import {
  deleteUnusedPaymentIdPairs,
  findWorkspaceWithUnusedPaymentIdPairs,
} from '../storage/stripe/processor-refs.ts';

/**
 * How long a pair of payment ids is kept after its last use. The time is more than a year, because refunds and
 * disputes may arrive months after the payment.
 */
const UNUSED_PAIR_LIFETIME_MS = 400 * DAY_MS;

/**
 * Deletes a batch of stored pairs of payment ids. A pair means that two ids belong to the same payment. It is
 * deleted if no event or request has used it for 400 days. The ids of recorded sales are kept, because they
 * are stored with the sales. Metrics use the function's name as a value of the label `job_name`. The function
 * therefore keeps its old name, which matches the table `processor_ties`.
 * @returns whether more work may be due
 */
export async function deleteUnusedPaymentTies(runtime: Runtime): Promise<boolean> {
  const now = runtime.now();
  const workspaceId = await findWorkspaceWithUnusedPaymentIdPairs(
    runtime.engine.read,
    UNUSED_PAIR_LIFETIME_MS,
    now,
  );
  if (workspaceId === null) return false;
  // Use the write queue of the workspace, because events of the workspace update the time when a pair was
  // last used.
  await runtime.engine.write(workspaceId, (tx) =>
    deleteUnusedPaymentIdPairs(tx, workspaceId, UNUSED_PAIR_LIFETIME_MS, now),
  );
  return true;
}
