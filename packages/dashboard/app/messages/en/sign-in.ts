export const title = 'Sign in';
export const submit = 'Sign in';
export const wrong = 'The email or the password is wrong.';
export const noAccount =
  'No account? Ask an owner of the workspace for an invitation. If the server is new, its log shows the first owner’s password.';
export const forgotPassword = 'Forgot your password?';
