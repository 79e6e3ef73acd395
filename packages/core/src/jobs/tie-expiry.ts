import { DAY_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import { deleteUnusedTies, findWorkspaceWithUnusedTies } from '../storage/stripe/processor-refs.ts';

/**
 * How long a payment tie (two ids of the same payment) is kept after its last use. The time is more than a year,
 * because refunds and disputes may arrive months after the payment.
 */
const UNUSED_TIE_MS = 400 * DAY_MS;

/**
 * Deletes a batch of payment ties, which are pairs of ids of the same payment. A tie is deleted if no event or
 * request has used it for 400 days. The ids of recorded sales are kept, because they are stored with the sales.
 * @returns whether more work may be due
 */
export async function deleteUnusedPaymentTies(runtime: Runtime): Promise<boolean> {
  const now = runtime.now();
  const workspaceId = await findWorkspaceWithUnusedTies(runtime.engine.read, UNUSED_TIE_MS, now);
  if (workspaceId === null) return false;
  // Use the write queue of the workspace, because events of the workspace update the time when a pair was
  // last used.
  await runtime.engine.write(workspaceId, (tx) => deleteUnusedTies(tx, workspaceId, UNUSED_TIE_MS, now));
  return true;
}
