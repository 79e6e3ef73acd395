import { openEmailToken, sealEmailToken } from '../access/email-token.ts';
import { issueOneTimeCode } from '../access/one-time-code.ts';
import { HOUR_MS } from '../domain/calendar.ts';
import { hashToken } from '../domain/token.ts';
import type { InvitationLink } from '../mail/templates/invitations.ts';
import {
  memberInvitationMail,
  partnerInvitationMail,
  passwordResetMail,
} from '../mail/templates/invitations.ts';
import { countEmails, setEmailToken } from '../storage/accounts/emails.ts';
import { findInvite, type Invite } from '../storage/accounts/invites.ts';
import { findMember } from '../storage/accounts/members.ts';
import { findUserByEmail } from '../storage/accounts/users.ts';
import { findWorkspaceName } from '../storage/accounts/workspaces.ts';
import { findPartnerById } from '../storage/programs/partners.ts';
import { findAccentColor } from '../storage/programs/program-pages.ts';
import { findProgram } from '../storage/programs/programs.ts';
import type { EmailJob, WrittenEmail } from './written-email.ts';

/** The maximum number of reset emails per address and hour, so that nobody can flood another person's mailbox. */
const MAX_RESETS_PER_HOUR = 5;

/**
 * Looks up the user only when the email is sent. The request for a reset link therefore takes the same time whether or
 * not the user exists.
 */
export async function writePasswordReset(job: EmailJob): Promise<WrittenEmail | null> {
  const { tx, mail, row } = job;
  const user = await findUserByEmail(tx.db, row.recipient);
  if (user === null) return null;
  const reset = await findOrIssueCode(job, user.id);
  if (reset === null) return null;
  const { name, email } = user;
  const letter = passwordResetMail({ name, email, dashboardUrl: mail.dashboardUrl, ...reset });
  return { letter, senderName: null, recipientName: name };
}

/**
 * Returns the code of the reset link. The first attempt to send the email creates the code. The user's request
 * must not create the code. Otherwise, the response time would reveal whether the user exists.
 */
async function findOrIssueCode(
  { tx, runtime, row }: EmailJob,
  userId: number,
): Promise<{ readonly code: string; readonly expiresAt: number } | null> {
  if (row.sealed_token !== null) {
    const code = openEmailToken(runtime, row.message_key, row.sealed_token);
    return code === null ? null : { code, expiresAt: row.expires_at };
  }
  const since = runtime.now() - HOUR_MS;
  const recent = await countEmails(tx.db, { recipient: row.recipient, kinds: [row.kind], since });
  // `recent` includes this email.
  if (recent > MAX_RESETS_PER_HOUR) return null;
  const issued = await issueOneTimeCode(tx, runtime, 'passwordReset', userId);
  const sealedToken = sealEmailToken(runtime, row.message_key, issued.code);
  await setEmailToken(tx, row.id, { sealedToken, expiresAt: issued.expiresAt });
  return issued;
}

export async function writeMemberInvitation({
  tx,
  runtime,
  mail,
  row,
}: EmailJob): Promise<WrittenEmail | null> {
  const opened = await openInvitation({ tx, runtime, mail, row });
  if (opened === null || !('memberId' in opened.invite.target)) return null;
  const member = await findMember(tx.db, opened.invite.target.memberId);
  if (member === null) return null;
  const workspaceName = await findWorkspaceName(tx.db, opened.invite.workspaceId);
  const { name, role } = member;
  const { dashboardUrl } = mail;
  const letter = memberInvitationMail({ ...opened.link, name, role, workspaceName, dashboardUrl });
  return { letter, senderName: workspaceName, recipientName: name };
}

export async function writePartnerInvitation({
  tx,
  runtime,
  mail,
  row,
}: EmailJob): Promise<WrittenEmail | null> {
  const opened = await openInvitation({ tx, runtime, mail, row });
  if (opened === null || !('partnerId' in opened.invite.target)) return null;
  const partner = await findPartnerById(tx.db, opened.invite.target.partnerId);
  if (partner === null) return null;
  const workspaceName = await findWorkspaceName(tx.db, opened.invite.workspaceId);
  const program = row.program_id === null ? null : await findProgram(tx.db, row.program_id);
  const programName = program?.name ?? workspaceName;
  const { name } = partner;
  const { dashboardUrl } = mail;
  return {
    letter: partnerInvitationMail({ ...opened.link, name, workspaceName, programName, dashboardUrl }),
    senderName: programName,
    recipientName: name,
    accentColor: program && (await findAccentColor(tx.db, program.id)),
  };
}

/** @returns null when the invitation is no longer valid */
export async function openInvitation({
  tx,
  runtime,
  row,
}: EmailJob): Promise<{ readonly link: InvitationLink; readonly invite: Invite } | null> {
  const token = row.sealed_token && openEmailToken(runtime, row.message_key, row.sealed_token);
  const invite = token && (await findInvite(tx.db, hashToken(token), runtime.now()));
  return token && invite ? { link: { token, expiresAt: row.expires_at }, invite } : null;
}
