import { locale } from '#messages/locale.ts';
import { lazy } from './lazy.ts';

const whole = lazy(() => new Intl.NumberFormat(locale));
const compact = lazy(() => new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }));
const percent = lazy(() => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }));
const wholePercent = lazy(() => new Intl.NumberFormat(locale, { style: 'percent' }));

/** Formats a count: `1234567` becomes `1,234,567`. */
export function formatCount(count: number): string {
  return whole().format(count);
}

/** Formats a count for an axis: `1234567` becomes `1.2M`. The exact value must be shown elsewhere. */
export function formatCompact(count: number): string {
  return compact().format(count);
}

/** Formats a ratio: `0.125` becomes `12.5%`. From 100% on, it has no decimals. */
function formatPercent(ratio: number): string {
  return (Math.abs(ratio) < 1 ? percent : wholePercent)().format(ratio);
}

/** The change of a value, or `new` when there was no value before. */
export type Trend =
  | 'new'
  | 'same'
  | {
      readonly direction: 'up' | 'down';
      /** The percentage without plus or minus, or the difference if a percentage would be misleading. */
      readonly change: string;
    };

/** With fewer events, a percentage is misleading. For example, two more clicks may be "200%". */
const MIN_BASE = 10;
/** A larger change is shown as a difference, because large percentages are hard to imagine. */
const MAX_RATIO = 10;

/** Returns the change from `before` to `now`, or null when both are 0. */
export function trendOf(
  now: number,
  before: number,
  { isMoney, format }: { readonly isMoney: boolean; readonly format: (value: number) => string },
): Trend | null {
  if (before === 0) return now === 0 ? null : 'new';
  if (now === before) return 'same';
  const ratio = Math.abs((now - before) / before);
  const isTooFew = !isMoney && before < MIN_BASE;
  return {
    direction: now > before ? 'up' : 'down',
    change: isTooFew || ratio > MAX_RATIO ? format(Math.abs(now - before)) : formatPercent(ratio),
  };
}
