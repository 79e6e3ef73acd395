import { CONFIRMATION_MS, openConfirmationToken } from '../access/email-link.ts';
import { findApprovalRule } from '../domain/application.ts';
import { queueReviewTasks } from '../emails/queue-emails.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findApplication, setAddressConfirmed } from '../storage/programs/applications.ts';
import {
  type EnrolledPartner,
  findEnrolledPartner,
  lockPartner,
  updateEnrollment,
} from '../storage/programs/partners.ts';
import { findProgramPage } from '../storage/programs/program-pages.ts';
import { findProgram, lockProgramShared, type ProgramAccount } from '../storage/programs/programs.ts';
import { announceApplication } from './application-events.ts';
import { recordChange } from './audit.ts';

/** The application that a confirmation link belongs to. */
export interface ApplicationOfLink {
  readonly program: ProgramAccount;
  readonly status: EnrolledPartner['status'];
  /** Whether the applicant has confirmed the email address. */
  readonly isConfirmed: boolean;
}

interface FoundApplication extends ApplicationOfLink {
  readonly partner: EnrolledPartner;
}

/**
 * Finds the application that a confirmation link belongs to.
 * @returns `email_link_invalid` when the link is not valid or has expired
 */
export async function findApplicationOfLink(
  runtime: Runtime,
  token: string,
): Promise<ApplicationOfLink | Rejection> {
  return (await findByToken(runtime.engine.read, runtime, token)) ?? new Rejection('email_link_invalid');
}

/**
 * Confirms the email address of an applicant. If the program approves the domain of the address, a pending
 * application is approved. Otherwise, the advertiser decides. Repeating the call changes nothing.
 *
 * @returns `email_link_invalid` when the token is unknown or expired, or when the partner's address has
 * changed since the link was sent
 */
export async function confirmAddress(
  runtime: Runtime,
  token: string,
): Promise<ApplicationOfLink | Rejection> {
  const found = await findByToken(runtime.engine.read, runtime, token);
  if (found === null) return new Rejection('email_link_invalid');
  return await runtime.engine.write(found.program.workspaceId, async (tx) => {
    await lockProgramShared(tx, found.program.id);
    await lockPartner(tx, found.partner.id);
    const current = await findByToken(tx.db, runtime, token);
    if (current === null) return new Rejection('email_link_invalid');
    const { program, partner } = current;
    if (current.isConfirmed) return current;
    return { program, status: await decide(tx, runtime, program, partner), isConfirmed: true };
  });
}

async function decide(
  tx: Transaction,
  runtime: Runtime,
  { id: programId, workspaceId }: ProgramAccount,
  partner: EnrolledPartner,
): Promise<EnrolledPartner['status']> {
  const page = await findProgramPage(tx.db, programId);
  const isRuleMet = findApprovalRule(page, { email: partner.email, invitationCode: null }) !== null;
  const isApproved = partner.status === 'pending' && isRuleMet;
  const approvedBy = isApproved ? 'email_domain' : null;
  await setAddressConfirmed(tx, { programId, partnerId: partner.id }, { at: runtime.now(), approvedBy });
  const status = isApproved ? 'approved' : partner.status;
  await recordChange(tx, runtime, {
    workspaceId,
    programId,
    action: 'partner.confirm_email',
    subjectId: partner.id,
    before: { status: partner.status, email_confirmed: false },
    after: { status, email_confirmed: true },
  });
  if (isApproved) {
    const { minPayoutCents } = partner;
    await updateEnrollment(tx, partner, { status, status_reason: null, min_payout_cents: minPayoutCents });
    await announceApplication(tx, runtime, programId, partner, { kind: 'approved', reason: null });
  } else if (status === 'pending') {
    await queueReviewTasks(tx, runtime, { workspaceId, programId });
  }
  return status;
}

async function findByToken(
  db: Transaction['db'],
  runtime: Runtime,
  token: string,
): Promise<FoundApplication | null> {
  const address = openConfirmationToken(runtime, token);
  if (address === null || address.appliedAt + CONFIRMATION_MS <= runtime.now()) return null;
  const { programId, partnerId, email, appliedAt } = address;
  const program = await findProgram(db, programId);
  const partner = program && (await findEnrolledPartner(db, programId, partnerId));
  const application = partner && (await findApplication(db, programId, partnerId));
  if (!application || partner.email !== email || application.appliedAt !== appliedAt) return null;
  return { program, partner, status: partner.status, isConfirmed: application.emailConfirmedAt !== null };
}
