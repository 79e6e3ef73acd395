import { locale } from '#messages/locale.ts';
import * as messages from '#messages/overview.ts';
import type { BreakdownReply } from '../../api/types.ts';
import type { CachedReply } from '../../api/use-api.ts';
import { lazy } from '../../format/lazy.ts';
import type { Bar } from '../../ui/bar-list.tsx';
import type { MeasureName } from './measures.ts';

export const DIMENSIONS = [
  { by: 'country', text: messages.dimensions.country },
  { by: 'referrer_host', text: messages.dimensions.referrer_host },
  { by: 'device', text: messages.dimensions.device },
  { by: 'page', text: messages.dimensions.page },
] as const;

export type Dimension = (typeof DIMENSIONS)[number]['by'];
export type CountName = 'clicks' | 'leads' | 'sales';

/** Returns the dimension in the URL. */
export function readDimension(text: string | undefined): Dimension {
  return DIMENSIONS.find(({ by }) => by === text)?.by ?? 'country';
}

/**
 * Returns the count that a breakdown shows for a measure. Breakdowns contain no amounts and no customers. For
 * these measures, they show sales.
 */
export function countFor(measure: MeasureName): CountName {
  return measure === 'clicks' || measure === 'leads' ? measure : 'sales';
}

/** Allows for different clocks of server and browser, and for the duration of a request. */
const CLOCK_TOLERANCE_MS = 1_000;
const FIRST_REFRESH_MS = 2_000;
const MAX_REFRESH_MS = 60_000;

/**
 * Returns the time until a breakdown is read again. It doubles with each reply, up to a minute. Returns false when the
 * background job has counted all events.
 */
export function refreshMs({ reply, receivedAt, count }: CachedReply<BreakdownReply>): number | false {
  const { as_of: asOf } = reply.meta;
  const isCounted = asOf !== null && receivedAt - Date.parse(asOf) <= CLOCK_TOLERANCE_MS;
  return !isCounted && Math.min(MAX_REFRESH_MS, FIRST_REFRESH_MS * 2 ** (count - 1));
}

/** Returns the bars of a breakdown. Values with a count of 0 are left out. */
export function breakdownBarsOf(
  { data, meta: { by } }: BreakdownReply,
  { count, siteUrl }: { readonly count: CountName; readonly siteUrl: string },
): readonly Bar[] {
  return data
    .filter((row) => row[count] > 0)
    .map(({ value, is_other: isRest, ...row }) => ({
      id: isRest ? 'rest' : `value-${value}`,
      text: isRest ? messages.allOthers : dimensionValueText(value, by, siteUrl),
      value: row[count],
      isRest,
    }));
}

const regionNames = lazy(() => new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' }));

function dimensionValueText(value: string | null, by: string, siteUrl: string): string {
  if (value === null) return messages.unknown[by] ?? '–';
  switch (by) {
    case 'country':
      return /^[A-Z]{2}$/.test(value) ? (regionNames().of(value) ?? value) : value;
    case 'device':
      return messages.devices[value] ?? value;
    case 'page':
      return pagePathOf(value, siteUrl);
    default:
      return value;
  }
}

/**
 * Returns the path of a page on the program's site, or the host and path of a page on another site. A text
 * that is not the URL of a page is returned unchanged.
 */
function pagePathOf(url: string, siteUrl: string): string {
  if (!URL.canParse(url) || !URL.canParse(siteUrl)) return url;
  const page = new URL(url);
  if (page.host === '') return url;
  return page.host === new URL(siteUrl).host ? page.pathname : page.host + page.pathname;
}
