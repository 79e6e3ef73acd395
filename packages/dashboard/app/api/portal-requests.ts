export const PORTAL_BALANCES = '/api/partner/balances';
export const PORTAL_SERIES = '/api/partner/series';
export const PORTAL_LINKS = '/api/partner/links';

/** The partners of the signed-in user, with the programs of each partner. */
export const PORTAL_PARTNERS = '/api/partner/me';
