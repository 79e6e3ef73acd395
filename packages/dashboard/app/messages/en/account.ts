export const profile = 'Profile';
/** The user's role. The name of the workspace follows. */
export const roleOf = (role: string): string => `${role} of`;

export const changeName = 'Change name';
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
export const passwordSame = 'Choose a password that is different from the current one.';

export const replaceTitle = 'Choose your password';
export const replaceReason = (email: string): string =>
  `Someone else chose the current password of ${email}. To continue, choose one that only you know.`;
export const receivedPassword = 'Password that you received';

export const emails = 'Emails';
export const emailsSaved = 'Your choice is saved.';
/** The texts for each preference in the API. */
export const emailCategories = {
  review_tasks: {
    label: 'Tasks, payouts, and failing webhooks',
    hint: 'Applications and payouts that need you, failing webhook endpoints, and a list of open tasks each Monday.',
  },
  commission_changes: {
    label: 'Changed commissions',
    hint: 'When a refund takes back all or part of a commission.',
  },
  monthly_summary: { label: 'Monthly summary', hint: 'Your results of the last month.' },
} as const;

export const sessions = 'Sessions';
export const signedInOn = 'Signed in on';
export const noSessions = 'This page of the list is empty.';
export const signOutOthers = 'Sign out all others';
export const signOutOthersTitle = 'Sign out all others?';
export const signOutOthersWarning =
  'All other browsers and API clients are signed out. They need your password to sign in again.';
export const signOutEverywhere = 'Sign out everywhere';
export const signOutEverywhereTitle = 'Sign out everywhere?';
export const signOutEverywhereWarning =
  'All browsers and API clients are signed out, including this one. They need your password to sign in again.';
export const device = 'Device';
export const unknownDevice = 'Unknown device';
export const thisDevice = 'This device';
/** The text for each kind of session in the API. */
export const kinds = { browser: 'Dashboard', token: 'API client' } as const;
export const signedIn = 'Signed in';
export const lastUsed = 'Last used';
export const ends = 'Ends';
export const signedOut = (device: string | null): string => `${device ?? 'The device'} is signed out.`;
