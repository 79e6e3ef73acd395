/** The partners of the signed-in user, with the programs of each partner. */
export const PORTAL_PARTNERS = '/api/partner/me';
