import { currencyExponent } from '@affkit/protocol';
import { proportion } from './money.ts';

/** How a figure moved against the range before. */
export interface Trend {
  /** The change in percent of the earlier figure, without sign, to one decimal. */
  readonly trend: number;
  readonly trendDirection: 'up' | 'down' | 'stable';
}

/** The direction is that of the figures themselves: a rise too small for one decimal is `up` by 0. */
export function compareFigures(current: number, previous: number): Trend {
  if (current === previous) return { trend: 0, trendDirection: 'stable' };
  const trendDirection = current > previous ? 'up' : 'down';
  if (previous === 0) return { trend: 100, trendDirection };
  return { trend: proportion(Math.abs(current - previous), 1000, previous) / 10, trendDirection };
}

/** `part` in percent of `whole`, to two decimals; 0 of nothing. */
export function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : proportion(part, 10_000, whole) / 100;
}

/** An amount in major units spread over `count`, to two decimals or what the currency has more; 0 over nothing. */
export function averageAmount(amountCents: number, currency: string, count: number): number {
  if (count === 0) return 0;
  const exponent = currencyExponent(currency);
  const decimals = Math.max(2, exponent);
  return proportion(amountCents, 10 ** (decimals - exponent), count) / 10 ** decimals;
}
