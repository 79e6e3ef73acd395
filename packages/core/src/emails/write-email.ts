import type { EmailKind } from '@affkit/protocol';
import { sealUnsubscribeToken } from '../access/email-link.ts';
import { toOneLine } from '../mail/letter.ts';
import type { MailMessage, MailSettings } from '../mail/mailer.ts';
import type { Runtime } from '../runtime.ts';
import { listOptOuts } from '../storage/accounts/email-opt-outs.ts';
import type { EmailRow } from '../storage/accounts/emails.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { categoryOf, type EmailData } from './email-data.ts';
import { unsubscribeLink } from './links.ts';
import { writePayoutDetailsChanged } from './payout-details-email.ts';
import {
  writeMemberInvitation,
  writePartnerInvitation,
  writePasswordReset,
} from './write-invitation-email.ts';
import {
  writePayoutProblem,
  writePayoutsProposed,
  writeReviewDigest,
  writeReviewTask,
  writeWebhookFailing,
} from './write-member-email.ts';
import {
  writeAddressConfirmation,
  writeApplicationApproved,
  writeApplicationReceived,
  writeApplicationRejected,
  writeCommissionChanged,
  writeMonthlySummary,
  writePayout,
} from './write-partner-email.ts';
import { writeTest } from './write-test-email.ts';
import { type EmailJob, renderEmail, senderNameOf, type WrittenEmail } from './written-email.ts';

type Writer<Kind extends EmailKind> = (job: EmailJob, data: EmailData[Kind]) => Promise<WrittenEmail | null>;

const WRITERS: { readonly [Kind in EmailKind]: Writer<Kind> } = {
  password_reset: writePasswordReset,
  member_invitation: writeMemberInvitation,
  partner_invitation: writePartnerInvitation,
  application_received: writeApplicationReceived,
  address_confirmation: writeAddressConfirmation,
  application_approved: writeApplicationApproved,
  application_rejected: writeApplicationRejected,
  review_task: writeReviewTask,
  review_digest: writeReviewDigest,
  payouts_proposed: writePayoutsProposed,
  payout_problem: writePayoutProblem,
  webhook_failing: writeWebhookFailing,
  commission_refunded: writeCommissionChanged,
  commission_reversed: writeCommissionChanged,
  payout_created: writePayout,
  payout_paid: writePayout,
  payout_failed: writePayout,
  payout_details_changed: writePayoutDetailsChanged,
  monthly_summary: writeMonthlySummary,
  test: writeTest,
};

/**
 * Composes an email from current data.
 * @returns null when the recipient has turned such emails off, or when the email must not be sent, for example
 * because its content is no longer true
 */
export async function writeEmail(
  tx: Transaction,
  runtime: Runtime,
  mail: MailSettings,
  row: EmailRow,
): Promise<MailMessage | null> {
  const category = categoryOf(row.kind);
  if (category !== null && (await listOptOuts(tx.db, row.recipient)).includes(category)) return null;
  // The cast is safe because `queueEmail` stored the data that belongs to this kind.
  const write = WRITERS[row.kind] as Writer<EmailKind>;
  const emailData = JSON.parse(row.data ?? 'null') as EmailData[EmailKind];
  const written = await write({ tx, runtime, mail, row }, emailData);
  if (written === null) return null;
  const { from } = mail.mailer;
  const fromName = senderNameOf(written, mail);
  const toName = toOneLine(written.recipientName ?? '');
  const link =
    category &&
    unsubscribeLink(mail, category, sealUnsubscribeToken(runtime, { category, recipient: row.recipient }));
  return {
    from: { address: from.address, ...(fromName !== '' && { name: fromName }) },
    to: { address: row.recipient, ...(toName !== '' && { name: toName }) },
    ...renderEmail(written, written.unsubscribe ?? link),
    headers: {
      // Stops automatic replies such as out-of-office messages.
      'Auto-Submitted': 'auto-generated',
      ...(link !== null && { 'List-Unsubscribe': `<${link.url}>` }),
      // One-click unsubscribe (RFC 8058) requires https.
      ...(link?.url.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
    messageId: `<${row.message_key}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
  };
}
