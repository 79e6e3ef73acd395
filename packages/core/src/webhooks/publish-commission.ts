import type { Transaction } from '../storage/database/engine/engine.ts';
import { commissionEvent, type PublishedCommission } from './event-payloads.ts';
import { loadPublisher, publishEvents } from './publish-events.ts';

/** Publishes a decision about a commission. @param commission the commission after the decision */
export async function publishCommission(
  tx: Transaction,
  type: 'commission.approved' | 'commission.rejected',
  commission: PublishedCommission,
  at: number,
): Promise<void> {
  const program = await loadPublisher(tx, commission.program_id);
  await publishEvents(tx, [{ program, event: commissionEvent(type, commission) }], at);
}
