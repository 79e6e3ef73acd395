import type Stripe from 'stripe';

/**
 * A part of the JSON that Stripe documents for `T`, in the API version of the installed `stripe` package. Unlike
 * Stripe's own types, this type allows only documented values, and decimals are strings, as in an event.
 */
export type Shape<T> = T extends string
  ? DocumentedValue<T>
  : T extends Stripe.Decimal
    ? string
    : T extends readonly (infer Item)[]
      ? readonly Shape<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]?: Shape<T[Key]> | undefined }
        : T;

/** Marks fields that are malformed, or that only older API versions have, so that the compiler accepts them. */
export function unchecked(fields: object): Readonly<Record<string, unknown>> {
  return { ...fields };
}

/**
 * `T`, or `never` if `T` is `string & Record<never, never>`. Stripe adds this type to its unions, so that the
 * unions accept values that Stripe adds later.
 */
type DocumentedValue<T extends string> = IsSame<T, string & Record<never, never>> extends true ? never : T;

type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** `acacia` is the last version before 2025-03-31 (Basil). Basil moved many fields. */
export type ApiVersion = 'acacia' | 'current';

/** `START`, the initial time of the world's clock, as Unix time in seconds. */
export const CREATED = Date.UTC(2026, 5, 15, 12) / 1000;

/** A product of a payment: `prod_<name>` with its amount after discounts, and its tax on top of that. */
export interface SoldProduct {
  readonly name: string;
  readonly amount: number;
  readonly tax?: number;
  readonly interval?: 'month' | 'year';
}
