export const profile = 'Profile';
/** The user's role. The name of the workspace follows. */
export const roleOf = (role: string): string => `${role} of`;

export const changeName = 'Change the name';
export const nameTitle = 'Change your name';
export const nameHint = 'Your name in this account.';
export const nameChanged = 'Your name is changed.';

export const currentPassword = 'Current password';
export const newPassword = 'New password';
export const newPasswordHint = (minimum: number): string =>
  `At least ${minimum} characters. All other devices are signed out.`;
export const changePassword = 'Change password';
export const passwordChanged = 'Your password is changed. All other devices are signed out.';
export const passwordWrong = 'This password is wrong.';
export const passwordMissing = 'Enter this password.';
export const passwordSame = 'Choose a password that differs from the current one.';

export const replaceTitle = 'Choose your password';
export const replaceReason = (email: string): string =>
  `Someone else has set the password of ${email}. Choose one that only you know; then the dashboard opens.`;
export const receivedPassword = 'Password that you received';

export const emails = 'Emails';
export const emailsSaved = 'Your choice is saved.';
/** The texts for each preference in the API. */
export const emailCategories = {
  review_tasks: {
    label: 'Tasks',
    hint: 'Applications and payouts that wait for you, and each Monday a list of open tasks.',
  },
  commission_changes: {
    label: 'Changed commissions',
    hint: 'When a refund takes back a commission or a part of it.',
  },
  monthly_summary: { label: 'Monthly summary', hint: 'Your results of the last month.' },
} as const;

export const sessions = 'Sessions';
export const signedInOn = 'Signed in on';
export const noSessions = 'No sessions on this page.';
export const signOutOthers = 'Sign out all others';
export const signOutOthersTitle = 'Sign out all others?';
export const signOutOthersWarning =
  'Every other browser and API client needs your password to sign in again.';
export const signOutEverywhere = 'Sign out everywhere';
export const signOutEverywhereTitle = 'Sign out everywhere?';
export const signOutEverywhereWarning =
  'Every browser and API client, this one too, needs your password to sign in again.';
export const device = 'Device';
export const unknownDevice = 'Unknown device';
export const thisDevice = 'This device';
/** The text for each kind of session in the API. */
export const kinds = { browser: 'Dashboard', token: 'API client' } as const;
export const signedIn = 'Signed in';
export const lastUsed = 'Last used';
export const ends = 'Ends';
export const signedOut = (device: string | null): string => `${device ?? 'The device'} is signed out.`;
