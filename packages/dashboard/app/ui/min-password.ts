/** Minimum length of a password, in characters. The API rejects shorter ones. */
export const MIN_PASSWORD = 8;
