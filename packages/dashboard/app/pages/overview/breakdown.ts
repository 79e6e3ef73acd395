import { locale } from '#messages/locale.ts';
import * as messages from '#messages/overview.ts';
import type { BreakdownReply } from '../../api/types.ts';
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

/** The dimension of the URL. */
export function readDimension(text: string | undefined): Dimension {
  return DIMENSIONS.find(({ by }) => by === text)?.by ?? 'country';
}

/** The count that a breakdown shows for a measure. It has no amounts, and no customers. */
export function countFor(measure: MeasureName): CountName {
  return measure === 'clicks' || measure === 'leads' ? measure : 'sales';
}

/** The bars of a breakdown, without values that count nothing. */
export function barsOf(
  { data, meta: { by } }: BreakdownReply,
  { count, siteUrl }: { readonly count: CountName; readonly siteUrl: string },
): readonly Bar[] {
  return data
    .filter((row) => row[count] > 0)
    .map(({ value, is_other: isRest, ...row }) => ({
      id: isRest ? 'rest' : `value-${value}`,
      text: isRest ? messages.allOthers : nameOf(value, by, siteUrl),
      value: row[count],
      isRest,
    }));
}

const regions = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' });

function nameOf(value: string | null, by: string, siteUrl: string): string {
  if (value === null) return messages.unknown[by] ?? '–';
  switch (by) {
    case 'country':
      return /^[A-Z]{2}$/.test(value) ? (regions.of(value) ?? value) : value;
    case 'device':
      return messages.devices[value] ?? value;
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
