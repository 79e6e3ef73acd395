import type { Transaction } from '../storage/database/engine/engine.ts';
import { endReviews } from '../storage/money/reviews.ts';
import type { CustomerChange } from '../storage/tracking/customers.ts';
import { addTraceNotes } from '../storage/tracking/outbox.ts';

/**
 * Ends the review of commissions whose customer key is now confirmed. Such a key was first set by a browser. Then
 * a request with the tracking token contained both the same key and the customer's click id.
 */
export async function endReviewsOfConfirmedKeys(
  tx: Transaction,
  changes: readonly CustomerChange[],
  now: number,
): Promise<void> {
  for (const { before, after } of changes) {
    const isConfirmed =
      before.key_state === 'claimed' &&
      after.key_state === 'verified' &&
      before.customer_key === after.customer_key;
    if (!isConfirmed) continue;
    const saleIds = await endReviews(tx, after);
    await addTraceNotes(
      tx,
      saleIds.map((saleId) => ({
        programId: after.program_id,
        customerId: after.id,
        saleId,
        reason: 'customer_key_confirmed',
        detail: after.click_id,
        now,
      })),
    );
  }
}
