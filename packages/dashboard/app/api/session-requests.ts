/** The API route of the signed-in user. */
export const ME = '/api/auth/me';

/** The programs of the user's workspaces. */
export const PROGRAMS = '/api/advertiser/affiliate-programs';

/**
 * Requests all programs in one reply. The page preloads this URL, so every request must use the same query.
 */
export const PROGRAMS_QUERY = { pageSize: '100' };
