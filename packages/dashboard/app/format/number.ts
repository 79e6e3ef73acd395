import { locale } from '#messages/locale.ts';
import { lazy } from './lazy.ts';

const whole = lazy(() => new Intl.NumberFormat(locale));
const compact = lazy(() => new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }));
const percent = lazy(() => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }));
const wholePercent = lazy(() => new Intl.NumberFormat(locale, { style: 'percent' }));

/** `1234567` is `1,234,567`. */
export function formatCount(count: number): string {
  return whole().format(count);
}

/** `1234567` is `1.2M`. For axes, where the exact value is elsewhere. */
export function formatCompact(count: number): string {
  return compact().format(count);
}

/** `0.125` is `12.5%`. From 100% on, without decimals. */
function formatPercent(ratio: number): string {
  return (Math.abs(ratio) < 1 ? percent : wholePercent)().format(ratio);
}

/** A change; `new` when there was nothing before. */
export type Trend =
  | 'new'
  | 'same'
  | {
      readonly direction: 'up' | 'down';
      /** A percentage, or the difference where a percentage would mislead. Without a sign. */
      readonly change: string;
    };

/** A percentage of fewer events says nothing, such as "200%" for two more clicks. */
const MIN_BASE = 10;
/** Nobody can imagine a larger multiple. */
const MAX_RATIO = 10;

/** The change from `before` to `now`; null when both are 0. */
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
