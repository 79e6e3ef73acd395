import { currencyExponent } from '@affkit/protocol';
import { proportion } from './money.ts';

/** The change of a figure compared with the previous period. */
export interface Trend {
  /** The change as a percentage of the previous figure, without a sign, rounded to one decimal. */
  readonly trend: number;
  readonly trendDirection: 'up' | 'down' | 'stable';
}

/**
 * Compares a figure with the figure of the previous period. The direction depends on the exact figures, so an
 * increase that is rounded to 0.0 percent is still `up`. If the previous figure is 0, any change is 100
 * percent.
 */
export function compareFigures(current: number, previous: number): Trend {
  if (current === previous) return { trend: 0, trendDirection: 'stable' };
  const trendDirection = current > previous ? 'up' : 'down';
  if (previous === 0) return { trend: 100, trendDirection };
  return { trend: proportion(Math.abs(current - previous), 1000, previous) / 10, trendDirection };
}

/** Returns `part` in percent of `whole`, rounded to two decimals, or 0 when `whole` is 0. */
export function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : proportion(part, 10_000, whole) / 100;
}

/**
 * Returns the amount divided by `count`, in major units, or 0 when `count` is 0. The result is rounded to two
 * decimals, or to three if the currency has three.
 */
export function averageAmount(amountCents: number, currency: string, count: number): number {
  if (count === 0) return 0;
  const exponent = currencyExponent(currency);
  const decimals = Math.max(2, exponent);
  return proportion(amountCents, 10 ** (decimals - exponent), count) / 10 ** decimals;
}
