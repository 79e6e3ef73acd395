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
export function formatPercent(ratio: number): string {
  return (Math.abs(ratio) < 1 ? percent : wholePercent)().format(ratio);
}

/** The change from `before` to `now`: null when both are 0, `'new'` when only `before` is. */
export function changeOf(now: number, before: number): number | 'new' | null {
  if (before === 0) return now === 0 ? null : 'new';
  return (now - before) / Math.abs(before);
}
