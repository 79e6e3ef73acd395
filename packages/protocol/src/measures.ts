/** Dimensions that break the figures of a program down. */
export const DIMENSIONS = ['country', 'referrer_host', 'device', 'os', 'browser', 'page'] as const;

/** Measures of a series. Amounts are measured in each currency. */
export const MEASURES = [
  'clicks',
  'leads',
  'conversions',
  'sales',
  'partners',
  'revenue',
  'commission',
] as const;

/** Measures by which partners are ranked. */
export const RANKED_MEASURES = ['clicks', 'leads', 'sales', 'revenue', 'commission'] as const;
