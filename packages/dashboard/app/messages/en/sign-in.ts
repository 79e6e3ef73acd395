export const title = 'Sign in';
export const submit = 'Sign in';
export const wrong = 'The email or the password is wrong.';
export const noAccount =
  'No account? Ask an owner of the workspace for an invitation. On a new server, the log of its first start has the first owner’s password.';
export const forgotPassword = 'Forgot your password?';

export const invitation = 'Invitation';
export const noInvitation =
  'This link has no invitation. Open the whole link that you received, up to its last character.';
export const acceptTitle = 'Accept the invitation';
export const passwordHint = (minimum: number): string =>
  `Choose a password of at least ${minimum} characters. If you have an account here already, enter its password.`;
export const accept = 'Accept';
