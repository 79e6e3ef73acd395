import type { EmailKind } from '@affkit/protocol';
import { CONFIRMATION_MS, sealConfirmationToken } from '../access/email-link.ts';
import { HOUR_MS } from '../domain/calendar.ts';
import { formatMoney } from '../domain/money.ts';
import type { Letter } from '../mail/letter.ts';
import {
  addressConfirmationMail,
  applicationApprovedMail,
  applicationReceivedMail,
  applicationRejectedMail,
} from '../mail/templates/applications.ts';
import { commissionChangedMail, monthlySummaryMail } from '../mail/templates/earnings.ts';
import { payoutMail } from '../mail/templates/payouts.ts';
import { countEmails } from '../storage/accounts/emails.ts';
import { findCommission } from '../storage/money/commission-view.ts';
import { findPayout } from '../storage/money/payouts.ts';
import { findApplication } from '../storage/programs/applications.ts';
import { type EnrolledPartner, findEnrolledPartner } from '../storage/programs/partners.ts';
import { findAccentColor } from '../storage/programs/program-pages.ts';
import { findProgram, findProgramOrDeleted, type ProgramAccount } from '../storage/programs/programs.ts';
import type { EmailData } from './email-data.ts';
import { confirmationUrl } from './links.ts';
import { monthNameOf, readPartnerMonth } from './partner-month.ts';
import { openInvitation } from './write-invitation-email.ts';
import type { EmailJob, WrittenEmail } from './written-email.ts';

/** Anyone can trigger these emails by applying with the email address of somebody else. */
const LIMITED_PARTNER_EMAILS: readonly EmailKind[] = [
  'application_received',
  'address_confirmation',
  'application_approved',
];
/**
 * The maximum number of emails of the kinds in `LIMITED_PARTNER_EMAILS` per address and hour, over all programs, so
 * that nobody can flood another person's mailbox.
 */
const MAX_LIMITED_PER_HOUR = 5;

/** The emails about decisions of the advertiser. They can contain text that the advertiser wrote. */
const DECISION_EMAILS: readonly EmailKind[] = ['application_approved', 'application_rejected'];
/**
 * The maximum number of emails of the kinds in `DECISION_EMAILS` per address, workspace, and hour. An advertiser can
 * apply to their own program with the address of somebody else. Without this limit, each new decision would send
 * another email to this person.
 */
const MAX_DECISIONS_PER_HOUR = 10;

interface Addressee {
  readonly partner: EnrolledPartner;
  readonly program: ProgramAccount;
}

export async function writeApplicationReceived(
  job: EmailJob,
  data: EmailData['application_received'],
): Promise<WrittenEmail | null> {
  const found = await findAddressee(job, data);
  if (found === null || found.partner.status !== 'pending' || (await isTooMany(job))) return null;
  const letter = applicationReceivedMail({ programName: found.program.name });
  return await inNameOf(job, found, letter, null);
}

export async function writeAddressConfirmation(
  job: EmailJob,
  data: EmailData['address_confirmation'],
): Promise<WrittenEmail | null> {
  const { tx, runtime, mail } = job;
  const found = await findAddressee(job, data);
  if (found === null || found.partner.status !== 'pending' || (await isTooMany(job))) return null;
  const { partner, program } = found;
  const application = await findApplication(tx.db, program.id, partner.id);
  if (application === null || application.emailConfirmedAt !== null) return null;
  const { appliedAt } = application;
  const address = { programId: program.id, partnerId: partner.id, email: partner.email, appliedAt };
  const letter = addressConfirmationMail({
    programName: program.name,
    url: confirmationUrl(mail, sealConfirmationToken(runtime, address)),
    expiresAt: appliedAt + CONFIRMATION_MS,
  });
  return await inNameOf(job, found, letter, null);
}

export async function writeApplicationApproved(
  job: EmailJob,
  data: EmailData['application_approved'],
): Promise<WrittenEmail | null> {
  const found = await findAddressee(job, data);
  if (found === null || found.partner.status !== 'approved') return null;
  if (await (data.isUnverified ? isTooMany(job) : isTooManyDecisions(job))) return null;
  const name = data.isUnverified ? null : found.partner.name;
  const opened = job.row.sealed_token === null ? null : await openInvitation(job);
  // Without an account or a valid invitation, the partner cannot sign in, so nothing is sent.
  if (opened === null && found.partner.userId === null) return null;
  const letter = applicationApprovedMail({
    name,
    programName: found.program.name,
    dashboardUrl: job.mail.dashboardUrl,
    portalUrl: portalUrlOf(job, found),
    invitation: opened?.link ?? null,
  });
  return await inNameOf(job, found, letter, name);
}

export async function writeApplicationRejected(
  job: EmailJob,
  data: EmailData['application_rejected'],
): Promise<WrittenEmail | null> {
  const found = await findAddressee(job, data);
  if (found === null || found.partner.status !== 'rejected' || (await isTooManyDecisions(job))) return null;
  const { partner, program } = found;
  const { reason } = data;
  const letter = applicationRejectedMail({ name: partner.name, programName: program.name, reason });
  return await inNameOf(job, found, letter, partner.name);
}

export async function writeCommissionChanged(
  job: EmailJob,
  data: EmailData['commission_refunded' | 'commission_reversed'],
): Promise<WrittenEmail | null> {
  const found = await findAddressee(job, data);
  if (found === null || (await isRestored(job, found.program.id, data.commissionId))) return null;
  const kind = job.row.kind === 'commission_reversed' ? 'commission_reversed' : 'commission_refunded';
  const deduction = formatMoney(data.deductionCents, data.currency);
  const commissionId = data.commissionId ?? null;
  const letter = commissionChangedMail({ kind, deduction, commissionId, ...namesOf(job, found) });
  return await inNameOf(job, found, letter, found.partner.name);
}

/** Whether the reported refund or reversal no longer applies, because the refund has failed. */
async function isRestored(
  { tx, row }: EmailJob,
  programId: number,
  commissionId: number | undefined,
): Promise<boolean> {
  const commission = commissionId === undefined ? null : await findCommission(tx.db, programId, commissionId);
  if (commission === null) return false;
  const { status } = commission;
  return status !== 'reversed' && (status !== 'refunded' || row.kind === 'commission_reversed');
}

export async function writePayout(
  job: EmailJob,
  data: EmailData['payout_created' | 'payout_paid' | 'payout_failed'],
): Promise<WrittenEmail | null> {
  const kind = PAYOUT_KINDS.find((each) => each === job.row.kind) ?? 'payout_created';
  // A program is often deleted right after its last payout. The partner must still learn about the payment.
  const found = await findAddressee(job, data, kind === 'payout_paid' ? findProgramOrDeleted : findProgram);
  if (found === null) return null;
  const payout = await findPayout(job.tx.db, found.program.id, data.payoutId);
  if (payout === null) return null;
  // An email about a new or failed payout is outdated once the payout has been cancelled or paid.
  if (kind !== 'payout_paid' && payout.status !== 'pending') return null;
  // Refunds may have lowered the payout since the email was stored.
  const cents = kind === 'payout_created' ? payout.amount_cents : data.amountCents;
  if (cents === 0) return null;
  const amount = formatMoney(cents, data.currency);
  const { payoutId, detail } = data;
  // The partner portal has no pages for a deleted program.
  const isDeleted = (await findProgram(job.tx.db, found.program.id)) === null;
  const names = { ...namesOf(job, found), ...(isDeleted && { portalUrl: null }) };
  const letter = payoutMail({ kind, amount, detail, payoutId, ...names });
  return await inNameOf(job, found, letter, found.partner.name);
}

const PAYOUT_KINDS = ['payout_created', 'payout_paid', 'payout_failed'] as const;

export async function writeMonthlySummary(
  job: EmailJob,
  data: EmailData['monthly_summary'],
): Promise<WrittenEmail | null> {
  const found = await findAddressee(job, data);
  if (found === null || found.partner.status !== 'approved') return null;
  const { partner, program } = found;
  const figures = await readPartnerMonth(
    job.tx.db,
    { programId: program.id, partnerId: partner.id },
    data.month,
  );
  const month = monthNameOf(data.month);
  const letter = monthlySummaryMail({ month, figures, ...namesOf(job, found) });
  return await inNameOf(job, found, letter, partner.name);
}

/**
 * @returns null when `find` finds no program, or when the partner has left the program or now has a different
 * email address
 */
async function findAddressee(
  { tx, row }: EmailJob,
  { partnerId }: { readonly partnerId: number },
  find: typeof findProgram = findProgram,
): Promise<Addressee | null> {
  const program = row.program_id === null ? null : await find(tx.db, row.program_id);
  if (program === null) return null;
  const partner = await findEnrolledPartner(tx.db, program.id, partnerId);
  return partner?.email === row.recipient ? { partner, program } : null;
}

async function isTooMany(job: EmailJob): Promise<boolean> {
  return (await countEarlier(job, LIMITED_PARTNER_EMAILS)) >= MAX_LIMITED_PER_HOUR;
}

async function isTooManyDecisions(job: EmailJob): Promise<boolean> {
  const { workspace_id: workspaceId } = job.row;
  const earlier = await countEarlier(job, DECISION_EMAILS, workspaceId === null ? {} : { workspaceId });
  return earlier >= MAX_DECISIONS_PER_HOUR;
}

/** Counts the emails to the same address in the hour before this email. */
async function countEarlier(
  { tx, row }: EmailJob,
  kinds: readonly EmailKind[],
  of: { readonly workspaceId?: number } = {},
): Promise<number> {
  const { recipient, id: beforeId, created_at } = row;
  return await countEmails(tx.db, { ...of, recipient, kinds, since: created_at - HOUR_MS, beforeId });
}

function namesOf(job: EmailJob, addressee: Addressee) {
  const { partner, program } = addressee;
  return { name: partner.name, programName: program.name, portalUrl: portalUrlOf(job, addressee) };
}

function portalUrlOf({ mail }: EmailJob, { program }: Pick<Addressee, 'program'>): string {
  return `${mail.dashboardUrl}/partner/${program.id}`;
}

async function inNameOf(
  { tx }: EmailJob,
  { program }: Addressee,
  letter: Letter,
  recipientName: string | null,
): Promise<WrittenEmail> {
  const accentColor = await findAccentColor(tx.db, program.id);
  return { letter, senderName: program.name, recipientName, accentColor };
}
