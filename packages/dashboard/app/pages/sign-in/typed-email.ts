/** The email address that the user typed on the sign-in page. It prefills the page for a forgotten password. */
export const typedEmail = { value: '' };
