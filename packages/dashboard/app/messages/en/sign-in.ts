export const title = 'Sign in';
export const submit = 'Sign in';
export const wrong = 'The email or the password is wrong.';
export const tooMany = (minutes: number): string =>
  `Too many failed attempts. Try again in ${minutes === 1 ? '1 minute' : `${minutes} minutes`}.`;
export const passwordMissing = 'Enter your password.';
export const noAccount =
  'No account? Ask an owner of the workspace for an invitation. If the server is new, its log shows the first owner’s password.';
export const forgotPassword = 'Forgot your password?';
