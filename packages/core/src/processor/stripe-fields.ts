import {
  cutText,
  DETAIL_METADATA_KEYS,
  fromStripeUnits,
  isStorable,
  MAX_ID_LENGTH,
  METADATA_KEYS,
} from '@affkit/protocol';
import { type StripeObject, stripeIdOf, toCount, toObject, toText } from './stripe-json.ts';

/** The metadata that the advertiser attached to a payment, before validation. */
export interface PaymentMetadata {
  readonly programId: unknown;
  readonly clickId: unknown;
  readonly customerKey: unknown;
  readonly productId: string | null;
  readonly taxCents: unknown;
  readonly shippingCents: unknown;
}

/**
 * Converts an amount of Stripe to the smallest unit by ISO 4217. An amount that is not valid is returned
 * unchanged, because a later validation rejects it.
 */
export function toSmallestUnit(amount: unknown, currency: unknown): unknown {
  const isConvertible = Number.isSafeInteger(amount) && typeof currency === 'string';
  return isConvertible ? fromStripeUnits(Number(amount), currency) : amount;
}

/** An amount of a refund or dispute. */
export interface StripeMoney {
  /** The amount in the smallest unit by ISO 4217. */
  readonly amountCents: number;
  /** The currency code of ISO 4217. */
  readonly currency: string;
}

/** @returns null when the amount or the currency is missing, not valid, or cannot be stored */
export function readMoney(amount: unknown, currency: unknown): StripeMoney | null {
  const amountCents = toCount(toSmallestUnit(amount, currency));
  const code = toText(currency)?.slice(0, 3).toUpperCase();
  if (amountCents === null || code === undefined || !isStorable(code)) return null;
  return { amountCents, currency: code };
}

/** An event without any effect, and the reason. */
export interface IgnoredContent {
  readonly kind: 'ignored';
  readonly reason: string;
  readonly refs: readonly string[];
}

export function ignoredContent(reason: string, refs: readonly string[] = []): IgnoredContent {
  return { kind: 'ignored', reason, refs };
}

export function refsOfCharge(charge: StripeObject): (string | null)[] {
  return [stripeIdOf(charge), stripeIdOf(charge['payment_intent']), stripeIdOf(charge['invoice'])];
}

/**
 * Reads the fields that refunds and disputes have in common. Both contain the ids of the charge and of the
 * payment intent.
 */
export function readReversal(object: StripeObject) {
  const { charge, payment_intent: intent } = object;
  return {
    id: toRef(stripeIdOf(object)),
    charge: toRef(stripeIdOf(charge)),
    intent: toRef(stripeIdOf(intent)),
    refs: toRefs([...refsOfCharge(toObject(charge)), stripeIdOf(charge), stripeIdOf(intent)]),
    money: readMoney(object['amount'], object['currency']),
    reason: toReason(object['reason']),
    metadata: readMetadata([object, charge, ...paymentMetadataSources(object)]),
  };
}

/**
 * Returns the other objects of the payment. The event contains their metadata only if Stripe expanded them.
 */
export function paymentMetadataSources(object: StripeObject): unknown[] {
  const intent = object['payment_intent'];
  return [intent, object['charge'], toObject(intent)['latest_charge']];
}

/** Reads each metadata key from the first source that has it. */
export function readMetadata(sources: readonly unknown[]): PaymentMetadata {
  const all = sources.map((source) => toObject(toObject(source)['metadata']));
  const find = (key: string) => all.map((one) => one[key]).find((value) => value != null && value !== '');
  return {
    programId: find(METADATA_KEYS.programId),
    clickId: find(METADATA_KEYS.clickId),
    customerKey: find(METADATA_KEYS.customerKey),
    productId: toRef(find(DETAIL_METADATA_KEYS.productId)),
    taxCents: find(DETAIL_METADATA_KEYS.taxCents),
    shippingCents: find(DETAIL_METADATA_KEYS.shippingCents),
  };
}

export function toRefs(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.map(toRef).filter((id) => id !== null))];
}

/** @returns null when the value is not an id that can be stored */
export function toRef(id: unknown): string | null {
  const text = toText(id);
  return text !== null && text.length <= MAX_ID_LENGTH && isStorable(text) ? text : null;
}

/** Returns Stripe's reason, truncated to the stored length. */
export function toReason(value: unknown): string | null {
  const reason = toText(value);
  return reason !== null && isStorable(reason) ? cutText(reason, MAX_ID_LENGTH) : null;
}
