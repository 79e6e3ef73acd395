import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { AffkitManagement, Payout } from '@affkit/node/management';

/** Larger commissions need the approval of a person. */
const MAX_APPROVED_CENTS = 10_000;

/**
 * Approves small commissions before their hold ends, creates the payouts of all partners, and writes the open
 * payouts to a CSV file. If this function fails, call it again: nothing is approved or paid twice.
 */
export async function payPartners(client: AffkitManagement, csvFile: string): Promise<readonly Payout[]> {
  const ids: number[] = [];
  for await (const { id, amount_cents, disputed } of client.commissions.list({ status: 'pending' })) {
    if (amount_cents <= MAX_APPROVED_CENTS && !disputed) ids.push(id);
  }
  const { data: reviews } = await client.commissions.bulk({ ids, action: 'approve' });
  for (const review of reviews) {
    if (!review.ok) console.warn(`Commission ${review.id} was not approved: ${review.error}`);
  }
  const payouts = await client.payouts.create({ min_amount_cents: 2_000 });
  await pipeline(await client.payouts.exportCsv({ status: 'pending' }), createWriteStream(csvFile));
  return payouts;
}
