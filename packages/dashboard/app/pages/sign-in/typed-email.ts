/** The email address on the sign-in page. The page for a forgotten password starts with it. */
export const typedEmail = { value: '' };
