import { type Letter, toOneLine } from '../letter.ts';
import { greet, utcTime } from './phrases.ts';

export function passwordResetMail(reset: {
  readonly name: string;
  readonly email: string;
  readonly dashboardUrl: string;
  readonly code: string;
  readonly expiresAt: number;
}): Letter {
  const host = new URL(reset.dashboardUrl).host;
  return {
    subject: `Set a new password for ${host}`,
    greeting: greet(reset.name),
    paragraphs: [`Somebody asked for a new password for ${reset.email} at ${host}.`],
    // Browsers do not send the fragment to servers, so the code does not appear in logs.
    button: { label: 'Set a new password', url: `${reset.dashboardUrl}/reset#${reset.code}` },
    notes: [
      `The link works once, until ${utcTime(reset.expiresAt)}. Setting a new password ends all your sessions.`,
      'If you did not ask for it, ignore this email. Your password has not changed.',
    ],
  };
}

/** The token of an invitation, for the link in an email. */
export interface InvitationLink {
  readonly token: string;
  readonly expiresAt: number;
}

interface Invitation extends InvitationLink {
  readonly name: string;
  readonly workspaceName: string;
  readonly dashboardUrl: string;
}

export function memberInvitationMail(invitation: Invitation & { readonly role: string }): Letter {
  const workspace = toOneLine(invitation.workspaceName);
  return writeInvitation(invitation, {
    subject: `${workspace} invites you to its affiliate dashboard`,
    paragraph: `${workspace} invites you to its affiliate dashboard, with the role ${invitation.role}. Accept the invitation to sign in.`,
  });
}

export function partnerInvitationMail(invitation: Invitation & { readonly programName: string }): Letter {
  const [workspace, program] = [toOneLine(invitation.workspaceName), toOneLine(invitation.programName)];
  return writeInvitation(invitation, {
    subject: `${workspace} invites you to its partner program`,
    paragraph: `${workspace} invites you to the partner program ${program}. Accept the invitation to get your links, and to see your clicks, commissions, and payouts.`,
  });
}

export function invitationUrl(dashboardUrl: string, { token }: Pick<InvitationLink, 'token'>): string {
  return `${dashboardUrl}/invite#${token}`;
}

function writeInvitation(
  invitation: Invitation,
  { subject, paragraph }: { readonly subject: string; readonly paragraph: string },
): Letter {
  return {
    subject,
    greeting: greet(invitation.name),
    paragraphs: [paragraph],
    button: { label: 'Accept the invitation', url: invitationUrl(invitation.dashboardUrl, invitation) },
    notes: [
      `The link is for you only. It works once, until ${utcTime(invitation.expiresAt)}.`,
      'If you do not expect this invitation, ignore this email.',
    ],
  };
}
