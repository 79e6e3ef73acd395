/** The signed-in user. */
export const ME = '/api/auth/me';

/** The programs of the user's workspaces. */
export const PROGRAMS = '/api/advertiser/affiliate-programs';

/** All programs in one reply. The page preloads the URL, so every request for it must be the same. */
export const PROGRAMS_QUERY = { pageSize: '100' };
