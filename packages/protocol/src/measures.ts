/** The dimensions by which the figures of a program can be broken down. */
export const DIMENSIONS = ['country', 'referrer_host', 'device', 'os', 'browser', 'page'] as const;

/** The measures of a series. Amounts are measured separately per currency. */
export const MEASURES = [
  'clicks',
  'leads',
  'conversions',
  'sales',
  'partners',
  'revenue',
  'commission',
] as const;

/** The measures of a series that a partner sees. Amounts are measured separately per currency. */
export const PORTAL_MEASURES = ['clicks', 'leads', 'conversions', 'sales', 'commission'] as const;

/** The measures by which partners can be ranked. */
export const RANKED_MEASURES = ['clicks', 'leads', 'sales', 'revenue', 'commission'] as const;
