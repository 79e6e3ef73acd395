import type { DisputeState } from '../domain/dispute.ts';
import {
  type IgnoredContent,
  ignoredContent,
  type PaymentMetadata,
  readReversal,
  type StripeMoney,
} from './stripe-fields.ts';
import { type StripeObject, stripeItemsOf } from './stripe-json.ts';

export interface DisputeContent extends StripeMoney {
  readonly kind: 'dispute';
  readonly refs: readonly string[];
  readonly dispute: string;
  readonly charge: string;
  readonly state: DisputeState;
  readonly reason: string | null;
  readonly metadata: PaymentMetadata;
}

/**
 * A dispute with one of these statuses takes no money. `warning_closed` is the end of an inquiry. With
 * `charge_refunded`, the refund has its own event.
 */
const WON_STATUSES: readonly unknown[] = ['won', 'warning_closed', 'prevented', 'charge_refunded'];

/** @param isReinstatement whether the event reports that Stripe has returned the funds */
export function readDispute(
  dispute: StripeObject,
  isReinstatement: boolean,
): DisputeContent | IgnoredContent {
  const { id, refs, charge, money, reason, metadata } = readReversal(dispute);
  if (id === null || charge === null || money === null) return ignoredContent('dispute_incomplete', refs);
  return {
    kind: 'dispute',
    refs,
    dispute: id,
    charge,
    state: readDisputeState(dispute, isReinstatement),
    ...money,
    reason,
    metadata,
  };
}

function readDisputeState(dispute: StripeObject, isReinstatement: boolean): DisputeState {
  const status = dispute['status'];
  if (WON_STATUSES.includes(status)) return 'won';
  // A reinstatement may return less than the charge, for example after an earlier refund. The returned amount
  // is therefore compared with the withdrawn amount, not with the charge.
  const movements = stripeItemsOf(dispute['balance_transactions']).map(({ amount }) => Number(amount) || 0);
  const isReturned = isReinstatement && movements.reduce((sum, amount) => sum + amount, 0) >= 0;
  if (status === 'lost') return isReturned ? 'won' : 'lost';
  return isReturned ? 'reinstated' : 'open';
}
