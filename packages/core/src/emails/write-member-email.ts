import { type Permission, roleAllows } from '../access/permission.ts';
import { formatMoney } from '../domain/money.ts';
import { reviewDigestMail, reviewTaskMail } from '../mail/templates/applications.ts';
import { payoutProblemMail, payoutsProposedMail } from '../mail/templates/payouts.ts';
import { webhookFailingMail } from '../mail/templates/webhooks.ts';
import { findMemberByEmail, type Member } from '../storage/accounts/members.ts';
import { findWorkspaceName } from '../storage/accounts/workspaces.ts';
import type { PayoutTotal } from '../storage/money/payable.ts';
import { countReleasedPayouts, findPayoutBatch } from '../storage/money/payout-batches.ts';
import { findPayoutRun } from '../storage/money/payout-runs.ts';
import { countTransferProblems } from '../storage/money/payout-transfers.ts';
import { countPendingPartners } from '../storage/programs/partners.ts';
import { findAccentColor } from '../storage/programs/program-pages.ts';
import { findProgram, findProgramOrDeleted } from '../storage/programs/programs.ts';
import { listWaitingTasks } from '../storage/reads/waiting-tasks.ts';
import { findEndpoint } from '../storage/webhooks/endpoints.ts';
import type { EmailData } from './email-data.ts';
import { monthNameOf } from './partner-month.ts';
import type { EmailJob, WrittenEmail } from './written-email.ts';

const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  'provider:paypal': 'PayPal',
  'provider:stripe': 'Stripe',
};

export async function writeReviewTask(job: EmailJob): Promise<WrittenEmail | null> {
  const { tx, mail, row } = job;
  const program = row.program_id === null ? null : await findProgram(tx.db, row.program_id);
  const reviewer = await findReviewer(job);
  if (program === null || reviewer === null) return null;
  const waiting = await countPendingPartners(tx.db, program.id);
  if (waiting === 0) return null;
  const url = `${mail.dashboardUrl}/p/${program.id}/partners?status=pending`;
  return {
    letter: reviewTaskMail({ name: reviewer.name, programName: program.name, waiting, url }),
    senderName: program.name,
    recipientName: reviewer.name,
    accentColor: await findAccentColor(tx.db, program.id),
  };
}

export async function writeReviewDigest(job: EmailJob): Promise<WrittenEmail | null> {
  const { tx, mail, row } = job;
  const reviewer = await findReviewer(job);
  if (reviewer === null || row.workspace_id === null) return null;
  const programs = await listWaitingTasks(tx.db, row.workspace_id);
  if (programs.length === 0) return null;
  const workspaceName = await findWorkspaceName(tx.db, row.workspace_id);
  const { name } = reviewer;
  return {
    letter: reviewDigestMail({ name, workspaceName, programs, url: `${mail.dashboardUrl}/` }),
    senderName: workspaceName,
    recipientName: name,
  };
}

/**
 * @returns null when the recipient may no longer confirm payouts, or an owner has confirmed or dismissed the
 * payouts
 */
export async function writePayoutsProposed(
  job: EmailJob,
  { payoutRunId }: EmailData['payouts_proposed'],
): Promise<WrittenEmail | null> {
  const { tx, mail, row } = job;
  const program = row.program_id === null ? null : await findProgram(tx.db, row.program_id);
  const owner = await findReviewer(job, 'payout:confirm');
  const run = program && (await findPayoutRun(tx.db, program.id, payoutRunId));
  if (program === null || owner === null || run?.status !== 'proposed') return null;
  // The cast is safe because `proposePayoutRun` stored the totals.
  const totals = JSON.parse(run.totals) as readonly PayoutTotal[];
  const letter = payoutsProposedMail({
    name: owner.name,
    programName: program.name,
    month: monthNameOf(run.month),
    totals: totals.map(({ payouts, amount_cents, currency }) => {
      return { payouts, amount: formatMoney(amount_cents, currency) };
    }),
    url: `${mail.dashboardUrl}/p/${program.id}/payouts`,
  });
  const accentColor = await findAccentColor(tx.db, program.id);
  return { letter, senderName: program.name, recipientName: owner.name, accentColor };
}

/**
 * @returns null when no payout has the problem anymore, for example because results were imported, or payouts
 * were sent again
 */
export async function writePayoutProblem(
  job: EmailJob,
  { batchId, problem, reason }: EmailData['payout_problem'],
): Promise<WrittenEmail | null> {
  const { tx, mail, row } = job;
  // A payment can be returned after the program was deleted.
  const program = row.program_id === null ? null : await findProgramOrDeleted(tx.db, row.program_id);
  const reviewer = await findReviewer(job, 'payout:create');
  const batch = program && (await findPayoutBatch(tx.db, program.id, batchId));
  if (program === null || batch === null || reviewer === null) return null;
  const payouts =
    problem === 'failed'
      ? await countReleasedPayouts(tx.db, program.id, batchId)
      : (await countTransferProblems(tx.db, program.id, batchId))[problem];
  if (payouts === 0) return null;
  const { name } = reviewer;
  // The dashboard has no pages for a deleted program.
  const isDeleted = (await findProgram(tx.db, program.id)) === null;
  return {
    letter: payoutProblemMail({
      name,
      programName: program.name,
      provider: PROVIDER_NAMES[batch.channel] ?? batch.channel,
      batchId,
      problem,
      payouts,
      reason,
      url: isDeleted ? null : `${mail.dashboardUrl}/p/${program.id}/payouts/files`,
    }),
    senderName: program.name,
    recipientName: name,
    accentColor: await findAccentColor(tx.db, program.id),
  };
}

export async function writeWebhookFailing(
  job: EmailJob,
  { endpointId, failed }: EmailData['webhook_failing'],
): Promise<WrittenEmail | null> {
  const { tx, mail, row } = job;
  const program = row.program_id === null ? null : await findProgram(tx.db, row.program_id);
  const reviewer = await findReviewer(job);
  const endpoint = program && (await findEndpoint(tx.db, program.id, endpointId));
  if (program === null || endpoint === null || reviewer === null) return null;
  // Somebody may have resumed the endpoint since the email was stored.
  if (failed === null && endpoint.paused_at === null) return null;
  const { name } = reviewer;
  const { host } = new URL(endpoint.url);
  const page = `${mail.dashboardUrl}/p/${program.id}/webhooks/${endpoint.id}`;
  const url = failed === null ? page : `${page}?status=failed`;
  return {
    letter: webhookFailingMail({ name, programName: program.name, host, failed, url }),
    senderName: program.name,
    recipientName: name,
    accentColor: await findAccentColor(tx.db, program.id),
  };
}

/** @returns null when the recipient is no longer a member, or lacks `permission` */
async function findReviewer(
  { tx, row }: EmailJob,
  permission: Permission = 'partner:update',
): Promise<Member | null> {
  const { workspace_id: workspaceId, recipient } = row;
  const member = workspaceId === null ? null : await findMemberByEmail(tx.db, workspaceId, recipient);
  return member && member.userId !== null && roleAllows(member.role, permission) ? member : null;
}
