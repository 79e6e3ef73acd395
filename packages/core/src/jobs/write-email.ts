import { openEmailToken, sealEmailToken } from '../access/email-token.ts';
import { issueOneTimeCode } from '../access/one-time-code.ts';
import { HOUR_MS } from '../domain/calendar.ts';
import { hashToken } from '../domain/token.ts';
import { type MailContent, toOneLine } from '../mail/letter.ts';
import type { MailMessage, MailSettings } from '../mail/mailer.ts';
import { memberInvitationMail, partnerInvitationMail, passwordResetMail } from '../mail/templates.ts';
import type { Runtime } from '../runtime.ts';
import { countEmails, type EmailRow, setEmailToken } from '../storage/accounts/emails.ts';
import { findInvite } from '../storage/accounts/invites.ts';
import { findMember } from '../storage/accounts/members.ts';
import { findUserByEmail, findWorkspaceName } from '../storage/accounts/users.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findPartnerById } from '../storage/programs/partners.ts';
import { findProgram } from '../storage/programs/programs.ts';

/** The maximum per address and hour, so that nobody can flood another person's mailbox. */
const MAX_RESETS_PER_HOUR = 5;

interface WrittenEmail extends MailContent {
  /** The name of the workspace or program that sends the email. Null if the service itself sends it. */
  readonly senderName: string | null;
  readonly recipientName: string;
}

/**
 * Composes an email from current data.
 * @returns null when there is nothing to send, because the address has no user or the invitation is no longer
 * valid
 */
export async function writeEmail(
  tx: Transaction,
  runtime: Runtime,
  mail: MailSettings,
  row: EmailRow,
): Promise<MailMessage | null> {
  const written =
    row.kind === 'password_reset'
      ? await writePasswordReset(tx, runtime, mail, row)
      : await writeInvitation(tx, runtime, mail, row);
  if (written === null) return null;
  const { from } = mail.mailer;
  const { senderName, recipientName, subject, text, html } = written;
  const fromName = senderName ?? from.name;
  return {
    from: { address: from.address, ...(fromName !== undefined && { name: toOneLine(fromName) }) },
    to: { address: row.recipient, name: toOneLine(recipientName) },
    subject,
    text,
    html,
    // Stops automatic replies such as out-of-office messages.
    headers: { 'Auto-Submitted': 'auto-generated' },
    messageId: `<${row.message_key}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
  };
}

async function writePasswordReset(
  tx: Transaction,
  runtime: Runtime,
  { dashboardUrl }: MailSettings,
  row: EmailRow,
): Promise<WrittenEmail | null> {
  const user = await findUserByEmail(tx.db, row.recipient);
  if (user === null) return null;
  const reset = await findOrIssueCode(tx, runtime, row, user.id);
  if (reset === null) return null;
  const content = passwordResetMail({ name: user.name, email: user.email, dashboardUrl, ...reset });
  return { ...content, senderName: null, recipientName: user.name };
}

/**
 * The code is issued at the first attempt to send. The reset request itself therefore does the same work
 * whether or not the user exists.
 */
async function findOrIssueCode(
  tx: Transaction,
  runtime: Runtime,
  row: EmailRow,
  userId: number,
): Promise<{ readonly code: string; readonly expiresAt: number } | null> {
  if (row.sealed_token !== null) {
    const code = openEmailToken(runtime, row.message_key, row.sealed_token);
    return code === null ? null : { code, expiresAt: row.expires_at };
  }
  const since = runtime.now() - HOUR_MS;
  const recent = await countEmails(tx.db, { recipient: row.recipient, kind: row.kind, since });
  // `recent` includes this email.
  if (recent > MAX_RESETS_PER_HOUR) return null;
  const issued = await issueOneTimeCode(tx, runtime, 'passwordReset', userId);
  const sealedToken = sealEmailToken(runtime, row.message_key, issued.code);
  await setEmailToken(tx, row.id, { sealedToken, expiresAt: issued.expiresAt });
  return issued;
}

async function writeInvitation(
  tx: Transaction,
  runtime: Runtime,
  { dashboardUrl }: MailSettings,
  row: EmailRow,
): Promise<WrittenEmail | null> {
  const token = row.sealed_token && openEmailToken(runtime, row.message_key, row.sealed_token);
  const invite = token && (await findInvite(tx.db, hashToken(token), runtime.now()));
  if (!token || !invite) return null;
  const { workspaceId, target } = invite;
  const workspaceName = await findWorkspaceName(tx.db, workspaceId);
  const invitation = { workspaceName, dashboardUrl, token, expiresAt: row.expires_at };
  if ('memberId' in target) {
    const member = await findMember(tx.db, target.memberId);
    if (member === null) return null;
    const content = memberInvitationMail({ ...invitation, name: member.name, role: member.role });
    return { ...content, senderName: workspaceName, recipientName: member.name };
  }
  const partner = await findPartnerById(tx.db, target.partnerId);
  if (partner === null) return null;
  const program = row.program_id === null ? null : await findProgram(tx.db, row.program_id);
  const programName = program?.name ?? workspaceName;
  const content = partnerInvitationMail({ ...invitation, name: partner.name, programName });
  return { ...content, senderName: programName, recipientName: partner.name };
}
