import {
  cutText,
  DETAIL_METADATA_KEYS,
  fromStripeUnits,
  isStorable,
  MAX_ID_LENGTH,
  METADATA_KEYS,
} from '@affkit/protocol';
import { idOf, toObject, toText } from './stripe-json.ts';

type Json = Readonly<Record<string, unknown>>;

/** The metadata that the advertiser attached to a payment, not validated. */
export interface PaymentMetadata {
  readonly programId: unknown;
  readonly clickId: unknown;
  readonly customerKey: unknown;
  readonly productId: string | null;
  readonly taxCents: unknown;
  readonly shippingCents: unknown;
}

/** Returns an invalid amount unchanged, so that validation rejects it later. */
export function toSmallestUnit(amount: unknown, currency: unknown): unknown {
  const isConvertible = Number.isSafeInteger(amount) && typeof currency === 'string';
  return isConvertible ? fromStripeUnits(Number(amount), currency) : amount;
}

/** An event that changes nothing, and why. */
export interface IgnoredContent {
  readonly kind: 'ignored';
  readonly reason: string;
  readonly refs: readonly string[];
}

export function ignore(reason: string, refs: readonly string[] = []): IgnoredContent {
  return { kind: 'ignored', reason, refs };
}

export function refsOfCharge(charge: Json): (string | null)[] {
  return [idOf(charge), idOf(charge['payment_intent']), idOf(charge['invoice'])];
}

/** The other objects of the payment, whose metadata the event contains only if Stripe expanded them. */
export function paymentMetadataSources(object: Json): unknown[] {
  const intent = object['payment_intent'];
  return [intent, object['charge'], toObject(intent)['latest_charge']];
}

/** Takes each key from the first source whose `metadata` has it. */
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

/** The reason that Stripe gives, cut to what is stored. */
export function toReason(value: unknown): string | null {
  const reason = toText(value);
  return reason !== null && isStorable(reason) ? cutText(reason, MAX_ID_LENGTH) : null;
}

/** The currency code of ISO 4217. */
export function toCurrency(value: unknown): string | null {
  return toText(value)?.slice(0, 3).toUpperCase() ?? null;
}
