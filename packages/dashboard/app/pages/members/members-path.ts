/** The API route of members. */
export const MEMBERS_PATH = '/api/advertiser/members';
