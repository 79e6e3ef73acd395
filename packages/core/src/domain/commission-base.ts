import { Rejection } from '../rejection.ts';

/**
 * The part of a sale from which a percent commission is computed: the whole amount, or the amount without tax
 * and shipping.
 */
export type CommissionBase = 'total' | 'net';

/** The amount of a sale, and the tax and shipping that it includes, in the smallest unit of its currency. */
export interface SaleAmounts {
  readonly amountCents: number;
  readonly taxCents: number;
  readonly shippingCents: number;
}

export function computeBase(
  base: CommissionBase,
  { amountCents, taxCents, shippingCents }: SaleAmounts,
): number {
  return base === 'total' ? amountCents : amountCents - taxCents - shippingCents;
}

/**
 * Returns the setting with which the base of a stored sale was computed. Without tax and shipping, both settings lead
 * to the same base, so the program's current setting is returned.
 * @param baseCents the base that was stored with the sale. Older versions of Affkit stored null, and always used the
 * whole amount
 */
export function findBaseOfSale(
  current: CommissionBase,
  baseCents: number | null,
  { amountCents, taxCents, shippingCents }: SaleAmounts,
): CommissionBase {
  if (baseCents === null) return 'total';
  if (taxCents + shippingCents === 0) return current;
  return baseCents < amountCents ? 'net' : 'total';
}

/** @returns a rejection when tax and shipping together exceed the amount */
export function checkAmounts({ amountCents, taxCents, shippingCents }: SaleAmounts): Rejection | null {
  if (taxCents + shippingCents <= amountCents) return null;
  return new Rejection('invalid_field', 'tax_cents and shipping_cents together must not exceed amount_cents');
}
