import type { Runtime } from '../runtime.ts';
import { approveReleased, findWorkspacesOnHold } from '../storage/holds.ts';

/** Approves the commissions whose hold has passed. */
export async function releaseHolds(runtime: Runtime): Promise<void> {
  const now = runtime.now();
  for (const workspaceId of await findWorkspacesOnHold(runtime.engine.read, now)) {
    await runtime.engine.write(workspaceId, (tx) => approveReleased(tx, workspaceId, now));
  }
}
