import type { Runtime } from '../runtime.ts';
import { findDueCharges, lockCharge, updateCharge } from '../storage/stripe/processor-charges.ts';
import { loadRefundedCents } from '../storage/stripe/processor-refunds.ts';
import { checkParked } from './check-parked.ts';

/** @returns whether more work may be due */
export function checkParkedRefunds(runtime: Runtime): Promise<boolean> {
  return checkParked(runtime, {
    name: 'refund',
    findDue: findDueCharges,
    lock: (tx, { workspace_id, charge }) => lockCharge(tx, workspace_id, charge),
    setCheckAt: (tx, parked, checkAt) => updateCharge(tx, parked, { check_at: checkAt }),
    async describeWarning(tx, parked) {
      const { charge, currency } = parked;
      const refundedCents = await loadRefundedCents(tx.db, parked);
      if (refundedCents === 0) return null;
      const payload = { charge, refundAmountCents: refundedCents, refundCurrency: currency };
      return { kind: 'refund_parked', id: charge, payload };
    },
  });
}
