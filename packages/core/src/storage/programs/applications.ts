import type { Kysely } from 'kysely';
import type { Answer, ApprovalRule } from '../../domain/application.ts';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

export interface Application {
  readonly answers: readonly Answer[];
  /** The code that the applicant entered, even if the program has no such code. */
  readonly invitationCode: string | null;
  readonly approvedBy: ApprovalRule | null;
  readonly appliedAt: number;
  /** When the applicant opened the link in the confirmation email, or null. */
  readonly emailConfirmedAt: number | null;
}

export async function insertApplication(
  tx: Transaction,
  enrollment: { readonly programId: number; readonly partnerId: number },
  application: Application,
): Promise<void> {
  await tx.db
    .insertInto('applications')
    .values({
      program_id: enrollment.programId,
      partner_id: enrollment.partnerId,
      answers: JSON.stringify(application.answers),
      invitation_code: application.invitationCode,
      approved_by: application.approvedBy,
      applied_at: application.appliedAt,
      email_confirmed_at: application.emailConfirmedAt,
    })
    .execute();
}

export async function findApplication(
  db: Kysely<Schema>,
  programId: number,
  partnerId: number,
): Promise<Application | null> {
  const row = await db
    .selectFrom('applications')
    .selectAll()
    .where('program_id', '=', programId)
    .where('partner_id', '=', partnerId)
    .executeTakeFirst();
  if (!row) return null;
  return {
    // The cast is safe because only `insertApplication` writes this text.
    answers: JSON.parse(row.answers) as Answer[],
    invitationCode: row.invitation_code,
    approvedBy: row.approved_by,
    appliedAt: row.applied_at,
    emailConfirmedAt: row.email_confirmed_at,
  };
}

/**
 * Records that the applicant has confirmed the email address. `approvedBy` is the rule that approved the application
 * after the confirmation. If `approvedBy` is null, the stored rule is not changed.
 */
export async function setAddressConfirmed(
  tx: Transaction,
  { programId, partnerId }: { readonly programId: number; readonly partnerId: number },
  { at, approvedBy }: { readonly at: number; readonly approvedBy: ApprovalRule | null },
): Promise<void> {
  await tx.db
    .updateTable('applications')
    .set({ email_confirmed_at: at, ...(approvedBy !== null && { approved_by: approvedBy }) })
    .where('program_id', '=', programId)
    .where('partner_id', '=', partnerId)
    .execute();
}
