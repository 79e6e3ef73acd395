import type { PastCommission } from '../../src/history/past-records.ts';
import { recordHistory } from '../../src/history/record-history.ts';
import type { Runtime } from '../../src/runtime.ts';

type GivenCommission = Pick<
  PastCommission,
  'id' | 'partnerEmail' | 'customer' | 'saleCents' | 'commissionCents' | 'earnedAt'
>;

/** Imports approved commissions in USD from the affiliate service `old`. */
export async function importCommissions(
  runtime: Runtime,
  commissions: readonly GivenCommission[],
): Promise<void> {
  const options = { source: 'old', sourceTitle: 'Old', programSlug: null, isDryRun: false };
  const records = commissions.map((given) => ({
    kind: 'commission' as const,
    commission: {
      ...given,
      state: 'approved' as const,
      saleCurrency: 'USD',
      currency: 'USD',
      dueAt: null,
      paidAt: null,
      payoutRef: null,
      paymentRefs: [],
      subscriptionId: null,
    },
  }));
  await recordHistory(runtime, options, (record) => record(records));
}
