import type { EmailTemplate } from '@affkit/protocol';
import type { Letter } from '../mail/letter.ts';
import type { MailSettings } from '../mail/mailer.ts';
import {
  addressConfirmationMail,
  applicationApprovedMail,
  applicationReceivedMail,
  applicationRejectedMail,
  reviewDigestMail,
  reviewTaskMail,
} from '../mail/templates/applications.ts';
import { commissionChangedMail, monthlySummaryMail } from '../mail/templates/earnings.ts';
import {
  memberInvitationMail,
  partnerInvitationMail,
  passwordResetMail,
} from '../mail/templates/invitations.ts';
import {
  payoutDetailsChangedMail,
  payoutMail,
  payoutProblemMail,
  payoutsProposedMail,
} from '../mail/templates/payouts.ts';
import { webhookFailingMail } from '../mail/templates/webhooks.ts';
import type { Runtime } from '../runtime.ts';
import { findWorkspaceName } from '../storage/accounts/workspaces.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findAccentColor } from '../storage/programs/program-pages.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { categoryOf } from './email-data.ts';
import { confirmationUrl, unsubscribeLink } from './links.ts';
import type { WrittenEmail } from './written-email.ts';

const NAME = 'Anna Example';
const DEDUCTION = '12.00 USD';
const AMOUNT = '148.50 USD';
/**
 * The token of all links in examples. The token is not valid, so the pages behind these links report an invalid
 * link.
 */
const TOKEN = 'EXAMPLE';

/** The URLs in the examples if the service has no public URL. */
const SAMPLE_URL = 'https://affiliates.example';
const SAMPLE_URLS = { dashboardUrl: `${SAMPLE_URL}/app`, serviceUrl: SAMPLE_URL };

/** The data of a program and its workspace that appears in example emails. */
export interface SampleContext {
  readonly programName: string;
  readonly workspaceName: string;
  /** `#rrggbb` */
  readonly accentColor: string | null;
  readonly urls: Pick<MailSettings, 'dashboardUrl' | 'serviceUrl'>;
  readonly now: number;
}

export async function readSampleContext(
  db: Transaction['db'],
  { mail, now }: Pick<Runtime, 'mail' | 'now'>,
  program: Pick<ProgramAccount, 'id' | 'name' | 'workspaceId'>,
): Promise<SampleContext> {
  return {
    programName: program.name,
    workspaceName: await findWorkspaceName(db, program.workspaceId),
    accentColor: await findAccentColor(db, program.id),
    urls: mail ?? SAMPLE_URLS,
    now: now(),
  };
}

/** Writes an example of an email, with the sender and the links of a real email. */
export function writeSampleEmail(template: EmailTemplate, context: SampleContext): WrittenEmail {
  const category = categoryOf(template);
  const written = {
    letter: sampleLetter(template, context),
    recipientName: null,
    unsubscribe: category && unsubscribeLink(context.urls, category, TOKEN),
  };
  switch (template) {
    case 'password_reset':
      return { ...written, senderName: null };
    case 'member_invitation':
    case 'payout_details_changed':
    case 'review_digest':
      return { ...written, senderName: context.workspaceName };
    default:
      return { ...written, senderName: context.programName, accentColor: context.accentColor };
  }
}

/** Writes an example of an email, with invented data. */
export function sampleLetter(kind: EmailTemplate, context: SampleContext): Letter {
  const { programName, workspaceName, urls, now } = context;
  const { dashboardUrl } = urls;
  const link = { token: TOKEN, expiresAt: now + 604_800_000 };
  const invitation = { ...link, name: NAME, workspaceName, dashboardUrl };
  const notice = { name: NAME, programName, dashboardUrl, portalUrl: `${dashboardUrl}/partner` };
  switch (kind) {
    case 'password_reset':
      return passwordResetMail({
        name: NAME,
        email: 'anna@blog.example',
        dashboardUrl,
        code: TOKEN,
        expiresAt: now + 1_800_000,
      });
    case 'member_invitation':
      return memberInvitationMail({ ...invitation, role: 'admin' });
    case 'partner_invitation':
      return partnerInvitationMail({ ...invitation, programName });
    case 'application_received':
      return applicationReceivedMail({ programName });
    case 'address_confirmation':
      return addressConfirmationMail({
        programName,
        url: confirmationUrl(urls, TOKEN),
        expiresAt: link.expiresAt,
      });
    case 'application_approved':
      return applicationApprovedMail({ ...notice, invitation: link });
    case 'application_rejected':
      return applicationRejectedMail({ ...notice, reason: 'Your blog is about another subject.' });
    case 'review_task':
      return reviewTaskMail({ name: NAME, programName, waiting: 3, url: `${dashboardUrl}/` });
    case 'review_digest':
      return reviewDigestMail({
        name: NAME,
        workspaceName,
        programs: [{ programName, applications: 3, payouts: 2 }],
        url: `${dashboardUrl}/`,
      });
    case 'payouts_proposed':
      return payoutsProposedMail({
        name: NAME,
        programName,
        month: 'January 2026',
        totals: [{ payouts: 12, amount: AMOUNT }],
        url: `${dashboardUrl}/`,
      });
    case 'payout_problem':
      return payoutProblemMail({
        name: NAME,
        programName,
        provider: 'PayPal',
        batchId: 4,
        problem: 'unclear',
        payouts: 2,
        reason: 'No reply after 25 days.',
        url: `${dashboardUrl}/`,
      });
    case 'webhook_failing':
      return webhookFailingMail({
        name: NAME,
        programName,
        host: 'shop.example',
        failed: 3,
        url: `${dashboardUrl}/`,
      });
    case 'commission_refunded':
    case 'commission_reversed':
      return commissionChangedMail({ ...notice, kind, deduction: DEDUCTION, commissionId: 42 });
    case 'payout_created':
      return payoutMail({ ...notice, kind, amount: AMOUNT, detail: null, payoutId: 7 });
    case 'payout_paid':
      return payoutMail({ ...notice, kind, amount: AMOUNT, detail: 'TR-2026-0042', payoutId: 7 });
    case 'payout_failed':
      return payoutMail({
        ...notice,
        kind,
        amount: AMOUNT,
        detail: 'The account does not exist.',
        payoutId: 7,
      });
    case 'payout_details_changed':
      return payoutDetailsChangedMail({
        ...notice,
        workspaceName,
        changedFields: ['iban', 'account_holder'],
        changedAt: now,
      });
    case 'monthly_summary':
      return monthlySummaryMail({
        ...notice,
        month: 'January 2026',
        figures: { clicks: 1_240, leads: 31, sales: 12, commissions: [AMOUNT] },
      });
  }
}
