import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { approveReleased, type DueHolds, findDueHolds } from '../storage/money/holds.ts';
import { commissionEvent } from '../webhooks/event-payloads.ts';
import { isSubscribed, loadPublisher, publishEvents } from '../webhooks/publish-events.ts';

const HOLD_RELEASE_BATCH_SIZE = 500;

/**
 * Approves commissions whose hold period has ended, one batch at a time.
 * @returns whether more work may be due
 */
export async function releaseHolds(runtime: Runtime): Promise<boolean> {
  const now = runtime.now();
  const due = await findDueHolds(runtime.engine.read, now, HOLD_RELEASE_BATCH_SIZE);
  for (const holds of due) {
    await runtime.engine.write(holds.workspaceId, (tx) => approveAndPublish(tx, holds, now));
  }
  return due.reduce((sum, { count }) => sum + count, 0) === HOLD_RELEASE_BATCH_SIZE;
}

async function approveAndPublish(tx: Transaction, holds: DueHolds, now: number): Promise<void> {
  const program = await loadPublisher(tx, holds.programId);
  const approved = await approveReleased(tx, holds, now, isSubscribed(program, 'commission.approved'));
  const events = approved.map((commission) => commissionEvent('commission.approved', commission));
  await publishEvents(
    tx,
    events.map((event) => ({ program, event })),
    now,
  );
}
