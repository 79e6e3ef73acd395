import type { OpenInvite } from '../../api/types.ts';
import { isolate } from '../../format/isolate.ts';

export const signIn = 'Sign in';

export const invitation = 'Invitation';
export const noInvitation =
  'This link is not complete. Open the whole link that you received, up to its last character.';
export const acceptTitle = 'Accept the invitation';
export const invites = ({ workspace_name: workspace, email, role }: OpenInvite): string =>
  role === null
    ? `${isolate(workspace)} invites ${email} to its partner program.`
    : `${isolate(workspace)} invites ${email} to its affiliate dashboard, with the role ${role}.`;
export const passwordHint = (minimum: number): string =>
  `Choose a password of at least ${minimum} characters.`;
export const accept = 'Accept';
export const signInToAccept = 'I have an account already';
export const used =
  'This invitation has expired or was already accepted. If you have accepted it, continue. Otherwise, ask for a new one.';
export const openDashboard = 'Open the dashboard';
export const hasAccount =
  'You already have an account with the email address of this invitation. Sign in, then accept the invitation.';
/** The text for a signed-in user, for each step of the page. */
export const stepTexts = {
  accept: (email: string): string =>
    `You are signed in as ${email}. Accept the invitation with this account.`,
  confirm: (email: string): string =>
    `You are signed in as ${email}. Enter your password to accept the invitation. You will be signed out on other devices.`,
  replace: (email: string): string =>
    `You are signed in as ${email}. Someone else may know your current password. Choose a new one to accept the invitation.`,
} as const;
export const yourPassword = 'Your password';
export const passwordOfOthers = 'Someone else knows my password';
export const otherAddress = (email: string): string =>
  `You are signed in as ${email}, but the invitation is for another email address. To accept it, sign out first.`;
export const signOutToAccept = 'Use another account';
