import type { DisputeState } from '../domain/dispute.ts';
import {
  type IgnoredContent,
  ignore,
  type PaymentMetadata,
  paymentMetadataSources,
  readMetadata,
  refsOfCharge,
  toCurrency,
  toReason,
  toRef,
  toRefs,
  toSmallestUnit,
} from './stripe-fields.ts';
import { idOf, itemsOf, toCount, toObject } from './stripe-json.ts';

type Json = Readonly<Record<string, unknown>>;

/** A dispute of a payment, as an event reports it. */
export interface DisputeContent {
  readonly kind: 'dispute';
  readonly refs: readonly string[];
  readonly dispute: string;
  readonly charge: string;
  readonly state: DisputeState;
  /** In the smallest unit by ISO 4217. */
  readonly amountCents: number;
  readonly currency: string;
  readonly reason: string | null;
  readonly metadata: PaymentMetadata;
}

/** An inquiry (`warning_closed`) and a prevented dispute end without a withdrawal. */
const WON_STATUSES: readonly unknown[] = ['won', 'warning_closed', 'prevented', 'charge_refunded'];

/** @param isReinstatement whether the event reports that Stripe has returned the funds */
export function readDispute(dispute: Json, isReinstatement: boolean): DisputeContent | IgnoredContent {
  const [id, charge] = [toRef(idOf(dispute)), toRef(idOf(dispute['charge']))];
  const refs = toRefs([
    ...refsOfCharge(toObject(dispute['charge'])),
    charge,
    idOf(dispute['payment_intent']),
  ]);
  const currency = toCurrency(dispute['currency']);
  const amountCents = toCount(toSmallestUnit(dispute['amount'], dispute['currency']));
  if (id === null || charge === null || amountCents === null || currency === null)
    return ignore('dispute_incomplete', refs);
  return {
    kind: 'dispute',
    refs,
    dispute: id,
    charge,
    state: readState(dispute, isReinstatement),
    amountCents,
    currency,
    reason: toReason(dispute['reason']),
    metadata: readMetadata([dispute, dispute['charge'], ...paymentMetadataSources(dispute)]),
  };
}

function readState(dispute: Json, isReinstatement: boolean): DisputeState {
  const status = dispute['status'];
  if (WON_STATUSES.includes(status)) return 'won';
  // A reinstatement may return only a part, for example of a charge that was refunded before.
  const movements = itemsOf(dispute['balance_transactions']).map(({ amount }) => Number(amount) || 0);
  const isReturned = isReinstatement && movements.reduce((sum, amount) => sum + amount, 0) >= 0;
  if (status === 'lost') return isReturned ? 'won' : 'lost';
  return isReturned ? 'reinstated' : 'open';
}
