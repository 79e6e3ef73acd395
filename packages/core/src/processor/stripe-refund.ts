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
import { idOf, rowsOf, toCount, toObject } from './stripe-json.ts';

type Json = Readonly<Record<string, unknown>>;

/** One refund of a payment. */
interface SingleRefund {
  readonly id: string;
  /** In the smallest unit by ISO 4217. */
  readonly amountCents: number;
  readonly currency: string;
  /** Whether it failed or was canceled, so that the customer got no money. */
  readonly isFailed: boolean;
}

/** Refunds of a payment, as an event reports them. */
export interface RefundContent {
  readonly kind: 'refund';
  readonly refs: readonly string[];
  /** The id of the charge, or of the payment or invoice when the event names no charge. */
  readonly charge: string;
  /**
   * Total of all refunds of the charge so far, in the smallest unit by ISO 4217; 0 when the event reports
   * only single refunds.
   */
  readonly refundedCents: number;
  /** Whether the whole charge is refunded. */
  readonly isWhole: boolean;
  readonly currency: string;
  readonly reason: string | null;
  readonly metadata: PaymentMetadata;
  /** The single refunds in the event. */
  readonly refunds: readonly SingleRefund[];
  /** Whether the event contains the refunds themselves. Otherwise it only names them. */
  readonly hasDetails: boolean;
}

const FAILED: readonly unknown[] = ['failed', 'canceled'];

/** Reads a charge with the total of its refunds, and its single refunds where the API version embeds them. */
export function readRefundedCharge(charge: Json): RefundContent | IgnoredContent {
  const refs = toRefs(refsOfCharge(charge));
  const id = toRef(idOf(charge));
  const currency = toCurrency(charge['currency']);
  const refundedCents = toCount(toSmallestUnit(readRefundedAmount(charge), charge['currency']));
  if (id === null || refundedCents === null || currency === null) return ignore('charge_incomplete', refs);
  const rows = rowsOf(charge['refunds']);
  return {
    kind: 'refund',
    refs,
    charge: id,
    refundedCents,
    isWhole: charge['refunded'] === true,
    currency,
    reason: toReason(rows[0]?.['reason']),
    metadata: readMetadata([charge, ...paymentMetadataSources(charge)]),
    // The release of an uncaptured amount is a refund too, although nothing was paid.
    refunds: isFullyCaptured(charge)
      ? rows.filter(isMade).flatMap((row) => readSingle(row, false) ?? [])
      : [],
    hasDetails: true,
  };
}

function isFullyCaptured(charge: Json): boolean {
  const [authorized, captured] = [toCount(charge['amount']), toCount(charge['amount_captured'])];
  return authorized === null || captured === null || captured >= authorized;
}

/**
 * Excludes the amount that was authorized but never captured. Stripe counts it as refunded, although it was
 * never paid.
 */
function readRefundedAmount(charge: Json): unknown {
  const refunded = charge['amount_refunded'];
  const [total, authorized, captured] = [
    toCount(refunded),
    toCount(charge['amount']),
    toCount(charge['amount_captured']),
  ];
  if (total === null || authorized === null || captured === null || captured >= authorized) return refunded;
  return charge['refunded'] === true ? captured : Math.max(0, total - (authorized - captured));
}

/** Reads the object of a refund event. @param hasFailed whether the event says that the refund failed */
export function readRefund(refund: Json, hasFailed: boolean): RefundContent | IgnoredContent {
  const { charge, payment_intent: intent } = refund;
  const refs = toRefs([...refsOfCharge(toObject(charge)), idOf(charge), idOf(intent), idOf(refund)]);
  if (!hasFailed && !isMade(refund)) return ignore('refund_pending', refs);
  const single = readSingle(refund, hasFailed);
  const payment = toRef(idOf(charge)) ?? toRef(idOf(intent));
  if (single === null || payment === null) return ignore('refund_incomplete', refs);
  return {
    kind: 'refund',
    refs,
    charge: payment,
    refundedCents: 0,
    isWhole: false,
    currency: single.currency,
    reason: toReason(refund['reason']),
    metadata: readMetadata([refund, charge, ...paymentMetadataSources(refund)]),
    refunds: [single],
    hasDetails: true,
  };
}

/** Reads the refunds that a credit note names. The rest of a credit note moves no money to the customer. */
export function readCreditNote(creditNote: Json): RefundContent | IgnoredContent {
  const currency = toCurrency(creditNote['currency']);
  const refunds = refundsOfNote(creditNote).flatMap(({ id, amount, isFailed }) => {
    const amountCents = toCount(toSmallestUnit(amount, creditNote['currency']));
    const refundId = toRef(id);
    return refundId === null || amountCents === null || amountCents === 0 || currency === null
      ? []
      : [{ id: refundId, amountCents, currency, isFailed }];
  });
  const invoice = toRef(idOf(creditNote['invoice']));
  const refs = toRefs([invoice, ...refunds.map(({ id }) => id)]);
  if (invoice === null || currency === null) return ignore('credit_note_incomplete', refs);
  if (refunds.length === 0) return ignore('credit_note_without_refund', refs);
  return {
    kind: 'refund',
    refs,
    charge: invoice,
    refundedCents: 0,
    isWhole: false,
    currency,
    reason: toReason(creditNote['reason']),
    metadata: readMetadata([creditNote, creditNote['invoice']]),
    refunds,
    hasDetails: false,
  };
}

/** Current API versions list the refunds with their amounts. Older ones name a single refund. */
function refundsOfNote(creditNote: Json): { id: string | null; amount: unknown; isFailed: boolean }[] {
  const { refunds, refund, amount } = creditNote;
  if (Array.isArray(refunds)) {
    return refunds.map(toObject).map((row) => ({
      id: idOf(row['refund']),
      amount: row['amount_refunded'],
      isFailed: FAILED.includes(toObject(row['refund'])['status']),
    }));
  }
  const expanded = toObject(refund);
  const isFailed = FAILED.includes(expanded['status']);
  if (expanded['amount'] !== undefined) return [{ id: idOf(refund), amount: expanded['amount'], isFailed }];
  // A part of the amount was credited in another way, so the event of the refund has to say how much it is.
  const isPartly =
    (toCount(creditNote['out_of_band_amount']) ?? 0) > 0 ||
    creditNote['customer_balance_transaction'] != null;
  return isPartly ? [] : [{ id: idOf(refund), amount, isFailed }];
}

/** Otherwise the customer has to act first. Another event reports what became of the refund. */
function isMade(refund: Json): boolean {
  return refund['status'] !== 'requires_action';
}

function readSingle(refund: Json, hasFailed: boolean): SingleRefund | null {
  const id = toRef(idOf(refund));
  const currency = toCurrency(refund['currency']);
  const amountCents = toCount(toSmallestUnit(refund['amount'], refund['currency']));
  if (id === null || amountCents === null || currency === null) return null;
  return { id, amountCents, currency, isFailed: hasFailed || FAILED.includes(refund['status']) };
}
