import {
  type IgnoredContent,
  ignoredContent,
  type PaymentMetadata,
  paymentMetadataSources,
  readMetadata,
  readMoney,
  readReversal,
  refsOfCharge,
  type StripeMoney,
  toReason,
  toRef,
  toRefs,
} from './stripe-fields.ts';
import { type StripeObject, stripeIdOf, stripeRowsOf, toCount, toObject } from './stripe-json.ts';

/** A single refund of a payment. */
interface SingleRefund extends StripeMoney {
  readonly id: string;
  /** Whether the refund failed or was canceled, so that the customer got no money. */
  readonly isFailed: boolean;
}

/** The refunds of a payment, according to an event. */
export interface RefundContent {
  readonly kind: 'refund';
  readonly refs: readonly string[];
  /** The id of the charge, or of the payment intent or invoice if the event contains no charge. */
  readonly charge: string;
  /**
   * The total of all refunds of the charge, in the smallest unit by ISO 4217. 0 if the event contains individual
   * refunds but no total.
   */
  readonly refundedCents: number;
  /** Whether the whole charge has been refunded. */
  readonly isWhole: boolean;
  readonly currency: string;
  readonly reason: string | null;
  readonly metadata: PaymentMetadata;
  /** The individual refunds in the event. */
  readonly refunds: readonly SingleRefund[];
  /** Whether the event contains the details of the refunds. Otherwise, it contains only their ids. */
  readonly hasDetails: boolean;
}

const FAILED_REFUND_STATUSES: readonly unknown[] = ['failed', 'canceled'];

/** Reads the refunded total of a charge. In some API versions, the charge also contains each refund. */
export function readRefundedCharge(charge: StripeObject): RefundContent | IgnoredContent {
  const refs = toRefs(refsOfCharge(charge));
  const id = toRef(stripeIdOf(charge));
  const refunded = readMoney(readRefundedAmount(charge), charge['currency']);
  if (id === null || refunded === null) return ignoredContent('charge_incomplete', refs);
  const rows = stripeRowsOf(charge['refunds']);
  return {
    kind: 'refund',
    refs,
    charge: id,
    refundedCents: refunded.amountCents,
    isWhole: charge['refunded'] === true,
    currency: refunded.currency,
    reason: toReason(rows[0]?.['reason']),
    metadata: readMetadata([charge, ...paymentMetadataSources(charge)]),
    // Stripe also creates a refund when an uncaptured amount is released, although that amount was never paid. The
    // individual refunds are therefore used only if the whole amount was captured.
    refunds: isFullyCaptured(charge)
      ? rows.filter(isMade).flatMap((row) => toSingle(readReversal(row), hasFailed(row)) ?? [])
      : [],
    hasDetails: true,
  };
}

function isFullyCaptured(charge: StripeObject): boolean {
  const [authorized, captured] = [toCount(charge['amount']), toCount(charge['amount_captured'])];
  return authorized === null || captured === null || captured >= authorized;
}

/**
 * Returns the refunded amount without the part that was authorized but never captured. Stripe counts that
 * part as refunded, although it was never paid.
 */
function readRefundedAmount(charge: StripeObject): unknown {
  const refunded = charge['amount_refunded'];
  const [total, authorized, captured] = [
    toCount(refunded),
    toCount(charge['amount']),
    toCount(charge['amount_captured']),
  ];
  if (total === null || authorized === null || captured === null || captured >= authorized) return refunded;
  return charge['refunded'] === true ? captured : Math.max(0, total - (authorized - captured));
}

/** Reads the object of a refund event. @param isFailure whether the event says that the refund failed */
export function readRefundEvent(refund: StripeObject, isFailure: boolean): RefundContent | IgnoredContent {
  const reversal = readReversal(refund);
  const refs = toRefs([...reversal.refs, reversal.id]);
  if (!isFailure && !isMade(refund)) return ignoredContent('refund_pending', refs);
  const single = toSingle(reversal, isFailure || hasFailed(refund));
  const payment = reversal.charge ?? reversal.intent;
  if (single === null || payment === null) return ignoredContent('refund_incomplete', refs);
  return {
    kind: 'refund',
    refs,
    charge: payment,
    refundedCents: 0,
    isWhole: false,
    currency: single.currency,
    reason: reversal.reason,
    metadata: reversal.metadata,
    refunds: [single],
    hasDetails: true,
  };
}

/** Reads the refunds in a credit note. Other parts of it, such as a credit to the customer's balance, are ignored. */
export function readCreditNote(creditNote: StripeObject): RefundContent | IgnoredContent {
  const refunds = refundsOfNote(creditNote).flatMap(({ id, amount, isFailed }) => {
    const money = readMoney(amount, creditNote['currency']);
    const single = toSingle({ id: toRef(id), money }, isFailed);
    return single === null || single.amountCents === 0 ? [] : [single];
  });
  const invoice = toRef(stripeIdOf(creditNote['invoice']));
  const refs = toRefs([invoice, ...refunds.map(({ id }) => id)]);
  if (invoice === null) return ignoredContent('credit_note_incomplete', refs);
  const [first] = refunds;
  if (!first) return ignoredContent('credit_note_without_refund', refs);
  return {
    kind: 'refund',
    refs,
    charge: invoice,
    refundedCents: 0,
    isWhole: false,
    currency: first.currency,
    reason: toReason(creditNote['reason']),
    metadata: readMetadata([creditNote, creditNote['invoice']]),
    refunds,
    hasDetails: false,
  };
}

/**
 * Returns the refunds of a credit note. Current API versions list all refunds with their amounts. Older API
 * versions contain only one refund.
 */
function refundsOfNote(
  creditNote: StripeObject,
): { id: string | null; amount: unknown; isFailed: boolean }[] {
  const { refunds, refund, amount } = creditNote;
  if (Array.isArray(refunds)) {
    return refunds.map(toObject).map((row) => ({
      id: stripeIdOf(row['refund']),
      amount: row['amount_refunded'],
      isFailed: hasFailed(toObject(row['refund'])),
    }));
  }
  const expanded = toObject(refund);
  const isFailed = hasFailed(expanded);
  if (expanded['amount'] !== undefined)
    return [{ id: stripeIdOf(refund), amount: expanded['amount'], isFailed }];
  // If a part of the amount was credited in another way, only the event of the refund contains the refund's
  // amount. Such a refund is left out here.
  const isPartly =
    (toCount(creditNote['out_of_band_amount']) ?? 0) > 0 ||
    creditNote['customer_balance_transaction'] != null;
  return isPartly ? [] : [{ id: stripeIdOf(refund), amount, isFailed }];
}

/**
 * Whether the refund has been made. If not, the customer has to act first, and another event will report the
 * outcome.
 */
function isMade(refund: StripeObject): boolean {
  return refund['status'] !== 'requires_action';
}

function hasFailed(refund: StripeObject): boolean {
  return FAILED_REFUND_STATUSES.includes(refund['status']);
}

function toSingle(
  { id, money }: { readonly id: string | null; readonly money: StripeMoney | null },
  isFailed: boolean,
): SingleRefund | null {
  return id === null || money === null ? null : { id, ...money, isFailed };
}
