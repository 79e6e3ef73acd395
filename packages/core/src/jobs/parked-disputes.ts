import type { Runtime } from '../runtime.ts';
import { findDueDisputes, lockDispute, updateDispute } from '../storage/stripe/processor-disputes.ts';
import { checkParked } from './check-parked.ts';

/** @returns whether more work may be due */
export function checkParkedDisputes(runtime: Runtime): Promise<boolean> {
  return checkParked(runtime, {
    name: 'dispute',
    findDue: findDueDisputes,
    lock: lockDispute,
    setCheckAt: (tx, parked, checkAt) => updateDispute(tx, parked, { check_at: checkAt }),
    async describeWarning(_tx, { state, dispute, charge, amount_cents, currency }) {
      if (state !== 'open' && state !== 'lost') return null;
      const payload = { dispute, charge, disputeAmountCents: amount_cents, disputeCurrency: currency };
      return { kind: 'dispute_parked', id: dispute, payload };
    },
  });
}
