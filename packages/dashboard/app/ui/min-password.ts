/** The minimum length of a password, in characters. The API rejects shorter passwords. */
export const MIN_PASSWORD = 8;
