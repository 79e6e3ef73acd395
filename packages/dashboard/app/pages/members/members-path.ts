/** Route of the members. */
export const MEMBERS_PATH = '/api/advertiser/members';
