import type { BreakdownReply } from '../../api/types.ts';
import type { Bar } from '../../ui/bar-list.tsx';
import type { MeasureName } from './measures.ts';

export const DIMENSIONS = [
  { by: 'country', text: 'Countries' },
  { by: 'referrer_host', text: 'Referrers' },
  { by: 'device', text: 'Devices' },
  { by: 'page', text: 'Pages' },
] as const;

export type Dimension = (typeof DIMENSIONS)[number]['by'];
export type CountName = 'clicks' | 'leads' | 'sales';

/** The dimension of the URL. */
export function readDimension(text: string | undefined): Dimension {
  return DIMENSIONS.find(({ by }) => by === text)?.by ?? 'country';
}

/** What a breakdown counts for a measure. It ranks by counts only. */
export function countFor(measure: MeasureName): CountName {
  return measure === 'clicks' || measure === 'leads' ? measure : 'sales';
}

const UNKNOWN: Readonly<Record<string, string>> = {
  country: 'Unknown country',
  referrer_host: 'Direct or unknown',
  device: 'Unknown device',
  page: 'Unknown page',
};

/** The bars of a breakdown, without values that count nothing. */
export function barsOf(
  { data, meta: { by } }: BreakdownReply,
  { count, siteUrl }: { readonly count: CountName; readonly siteUrl: string },
): readonly Bar[] {
  return data
    .filter((row) => row[count] > 0)
    .map(({ value, is_other: isRest, ...row }) => ({
      id: isRest ? 'rest' : `value ${value}`,
      text: isRest ? 'All others' : value === null ? (UNKNOWN[by] ?? 'Unknown') : nameOf(value, by, siteUrl),
      value: row[count],
      isRest,
    }));
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

function nameOf(value: string, by: string, siteUrl: string): string {
  switch (by) {
    case 'country':
      return /^[A-Z]{2}$/.test(value) ? (regions.of(value) ?? value) : value;
    case 'device':
      return value.charAt(0).toUpperCase() + value.slice(1);
    case 'page':
      return pathOf(value, siteUrl);
    default:
      return value;
  }
}

/** The path of a page of the site; the whole URL of any other page. */
function pathOf(url: string, siteUrl: string): string {
  if (!URL.canParse(url) || !URL.canParse(siteUrl)) return url;
  const page = new URL(url);
  if (page.host === '') return url;
  return page.host === new URL(siteUrl).host ? page.pathname : page.host + page.pathname;
}
