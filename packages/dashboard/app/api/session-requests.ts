/** The API route of the signed-in user. */
export const ME = '/api/auth/me';

/** The programs of the user's workspaces. */
export const PROGRAMS = '/api/advertiser/affiliate-programs';

/**
 * The query for the first page of the programs, which contains all programs of most users. The HTML preloads this URL,
 * so every request for the first page must use the same query.
 */
export const PROGRAMS_QUERY = { pageSize: '100' };
