import { DAY_MS, HOUR_MS } from '../domain/calendar.ts';
import { payoutDetailsChangedMail } from '../mail/templates/payouts.ts';
import type { Runtime } from '../runtime.ts';
import { listAuditedPartnerAddresses } from '../storage/accounts/audit-log.ts';
import { countEmails } from '../storage/accounts/emails.ts';
import { findUser } from '../storage/accounts/users.ts';
import { findWorkspaceName } from '../storage/accounts/workspaces.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findPartnerById, type Partner } from '../storage/programs/partners.ts';
import type { EmailData } from './email-data.ts';
import { queueEmail } from './queue-emails.ts';
import type { EmailJob, WrittenEmail } from './written-email.ts';

/**
 * How long emails also go to a partner's previous address after the address has changed. Without these
 * emails, an intruder could first change the address and then the payout details, unnoticed by the partner.
 */
const EARLIER_ADDRESS_MS = 30 * DAY_MS;
const MAX_PER_HOUR = 10;

/**
 * Stores emails about payout details that were entered, changed, or deleted, in the transaction of the change.
 * The emails go to the partner's address, to the address of the partner's user account, and to earlier
 * addresses of the partner.
 */
export async function queuePayoutDetailsEmails(
  tx: Transaction,
  runtime: Runtime,
  data: EmailData['payout_details_changed'],
): Promise<void> {
  const partner = runtime.mail === null ? null : await findPartnerById(tx.db, data.partnerId);
  if (partner === null) return;
  const { id, workspaceId } = partner;
  const since = data.changedAt - EARLIER_ADDRESS_MS;
  const earlier = await listAuditedPartnerAddresses(tx.db, { workspaceId, partnerId: id, since });
  const occasion = `payout_details:${id}:${data.changedAt}:${data.changedFields.join()}`;
  for (const recipient of new Set([...(await currentAddresses(tx, partner)), ...earlier])) {
    const dedupeKey = `${occasion}:${recipient}`;
    const kind = 'payout_details_changed';
    await queueEmail(tx, runtime, { kind, workspaceId, programId: null, recipient, data, dedupeKey });
  }
}

async function currentAddresses(tx: Transaction, { email, userId }: Partner): Promise<string[]> {
  const user = userId === null ? null : await findUser(tx.db, userId);
  return user === null ? [email] : [email, user.email];
}

export async function writePayoutDetailsChanged(
  { tx, mail, row }: EmailJob,
  { partnerId, changedFields, changedAt }: EmailData['payout_details_changed'],
): Promise<WrittenEmail | null> {
  const partner = await findPartnerById(tx.db, partnerId);
  if (partner === null) return null;
  const { recipient, id: beforeId, kind } = row;
  const { workspaceId } = partner;
  const since = row.created_at - HOUR_MS;
  // The limit applies per workspace. Every workspace can enter any address for its partners. With a limit over all
  // workspaces, one workspace could therefore stop the emails of another workspace to the same address.
  const earlier = await countEmails(tx.db, { recipient, kinds: [kind], since, beforeId, workspaceId });
  if (earlier >= MAX_PER_HOUR) return null;
  const workspaceName = await findWorkspaceName(tx.db, workspaceId);
  const isCurrent = (await currentAddresses(tx, partner)).includes(recipient);
  // An earlier address may belong to somebody else, so the email must not contain the name.
  const name = isCurrent ? partner.name : null;
  const { dashboardUrl } = mail;
  return {
    letter: payoutDetailsChangedMail({ name, workspaceName, dashboardUrl, changedFields, changedAt }),
    senderName: workspaceName,
    recipientName: name,
  };
}
