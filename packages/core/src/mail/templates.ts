import { type MailContent, toOneLine, writeLetter } from './letter.ts';

/** An email with a link to set a new password. */
export function passwordResetMail(reset: {
  readonly name: string;
  readonly email: string;
  readonly dashboardUrl: string;
  readonly code: string;
  readonly expiresAt: number;
}): MailContent {
  const host = new URL(reset.dashboardUrl).host;
  return writeLetter({
    subject: `Set a new password for ${host}`,
    greeting: greet(reset.name),
    paragraphs: [`Somebody asked for a new password for ${reset.email} at ${host}.`],
    // Browsers do not send the fragment to servers, so the code does not appear in logs.
    button: { label: 'Set a new password', url: `${reset.dashboardUrl}/reset#${reset.code}` },
    notes: [
      `The link works once, until ${utcTime(reset.expiresAt)}. Setting a new password ends all your sessions.`,
      'If it was not you, ignore this email. Your password has not changed.',
    ],
  });
}

/** An email that invites a person to become a member of a workspace. */
export function memberInvitationMail(invitation: Invitation & { readonly role: string }): MailContent {
  const workspace = toOneLine(invitation.workspaceName);
  return writeInvitation(invitation, {
    subject: `${workspace} invites you to its affiliate dashboard`,
    paragraph: `${workspace} has added you as ${invitation.role} to its affiliate dashboard. Accept the invitation to sign in.`,
  });
}

/** An email that invites a person to become a partner. */
export function partnerInvitationMail(
  invitation: Invitation & { readonly programName: string },
): MailContent {
  const [workspace, program] = [toOneLine(invitation.workspaceName), toOneLine(invitation.programName)];
  return writeInvitation(invitation, {
    subject: `${workspace} invites you to its partner program`,
    paragraph: `${workspace} invites you to the partner program ${program}. Accept the invitation to get your links, and to see your clicks, commissions, and payouts.`,
  });
}

interface Invitation {
  readonly name: string;
  readonly workspaceName: string;
  readonly dashboardUrl: string;
  readonly token: string;
  readonly expiresAt: number;
}

function writeInvitation(
  invitation: Invitation,
  { subject, paragraph }: { readonly subject: string; readonly paragraph: string },
): MailContent {
  return writeLetter({
    subject,
    greeting: greet(invitation.name),
    paragraphs: [paragraph],
    button: { label: 'Accept the invitation', url: `${invitation.dashboardUrl}/invite#${invitation.token}` },
    notes: [
      `The link is for you only. It works once, until ${utcTime(invitation.expiresAt)}.`,
      'If you do not expect this invitation, ignore this email.',
    ],
  });
}

function greet(name: string): string {
  const line = toOneLine(name);
  return line === '' ? 'Hello,' : `Hello ${line},`;
}

/** Formats a time to the minute, such as `2026-01-31 12:00 UTC`. */
function utcTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
