export const forgotTitle = 'Forgot your password?';
export const next = 'Continue';
export const backToSignIn = 'Back to sign-in';

export const askTitle = 'Ask for a link';
export const noMail =
  'This server sends no email. Send this command to a person who can run it on the server. It prints a link with which you can set a new password.';
export const command = 'Command for the server';
export const commandHint =
  'The link works once, within 30 minutes. If no account has this address, the command says so.';
export const sentTitle = 'Check your email';
export const sent = (email: string): string =>
  `If an account has the address ${email}, you will get an email with a link to set a new password. The link works once, within 30 minutes.`;
export const notArrived = 'If nothing arrives within a few minutes, check your spam folder.';
export const otherEmail = 'Use another address';

export const resetTitle = 'Set a new password';
export const password = 'New password';
export const resetHint =
  'At least 8 characters. You stay signed in here. All your other devices are signed out.';
export const save = 'Set password';
export const noCode =
  'This link is not complete. Open the whole link that you received, up to its last character.';
export const invalid = 'This link has expired or was already used. Each link works once, within 30 minutes.';
export const getNewLink = 'Get a new link';
