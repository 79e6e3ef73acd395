export const PORTAL_BALANCES = '/api/partner/balances';
export const PORTAL_SERIES = '/api/partner/series';
export const PORTAL_LINKS = '/api/partner/links';

/** The partners of the signed-in user, with the programs of each partner. */
export const PORTAL_PARTNERS = '/api/partner/me';

/** The partner's own commissions. Their totals, CSV file, and single rows are below this path. */
export const PORTAL_COMMISSIONS = '/api/partner/commissions';

/** The partner's own payouts. */
export const PORTAL_PAYOUTS = '/api/partner/payouts';

/** The payout details of one of the user's partners. */
export const PAYOUT_DETAILS = '/api/partner/payout-details';

/** A file with all data that the service stores about the partner. */
export const PARTNER_EXPORT = '/api/partner/export';
