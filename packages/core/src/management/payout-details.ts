import {
  openPayee,
  openPayoutDetails,
  type Payee,
  sealPayoutDetails,
} from '../access/sealed-payout-details.ts';
import { changedDetails, type PayoutDetails } from '../domain/payout-details.ts';
import { queuePayoutDetailsEmails } from '../emails/payout-details-email.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import type { PayoutRow } from '../storage/money/payouts.ts';
import { findEnrolledPartner, listProgramsOfPartner, lockPartner } from '../storage/programs/partners.ts';
import {
  deletePayoutDetails,
  findPayoutDetails,
  savePayoutDetails,
} from '../storage/programs/payout-details.ts';
import { recordChange } from './audit.ts';

/** The payout details of a partner, and the time of their last change. */
export interface PayoutDetailsView {
  readonly partnerId: number;
  readonly details: PayoutDetails;
  readonly updatedAt: number;
}

interface PartnerKey {
  readonly id: number;
  readonly workspaceId: number;
}

/** Reads the payout details of a partner. @returns null when there are none, or when they cannot be decrypted */
export async function readPayoutDetails(
  runtime: Runtime,
  partnerId: number,
  db: Transaction['db'] = runtime.engine.read,
): Promise<PayoutDetailsView | null> {
  const row = (await findPayoutDetails(db, [partnerId])).get(partnerId);
  const details = row ? openPayoutDetails(runtime, row) : null;
  return row && details ? { partnerId, details, updatedAt: row.updated_at } : null;
}

/**
 * Reads the payout details for the receipt of a payout: the details with which it was paid. If these do not
 * exist or cannot be decrypted, returns the current details. `method` is then null for a paid payout, because a
 * different method may have been used.
 * @returns null when there are none
 */
export async function readPayee(
  runtime: Runtime,
  payout: Pick<PayoutRow, 'partner_id' | 'sealed_payee' | 'status'>,
): Promise<Payee | null> {
  const payee = openPayee(runtime, payout);
  if (payee) return payee;
  const view = await readPayoutDetails(runtime, payout.partner_id);
  return view && { ...view.details, ...(payout.status === 'paid' && { method: null }) };
}

/**
 * Reads the payout details of a partner for the advertiser; see `readPayoutDetails`.
 * @returns `not_found` when the partner is not in the program
 */
export async function readPayoutDetailsInProgram(
  runtime: Runtime,
  programId: number,
  partnerId: number,
): Promise<PayoutDetailsView | null | Rejection> {
  const partner = await findEnrolledPartner(runtime.engine.read, programId, partnerId);
  return partner ? await readPayoutDetails(runtime, partnerId) : new Rejection('not_found');
}

/**
 * Replaces a partner's payout details. The audit log, the partner's notification, and the emails contain the names of
 * the changed fields, but not their values. If no field differs, nothing is stored.
 * @param options.mayReplace whether existing details may be replaced. Otherwise returns `password_required`
 */
export function changePayoutDetails(
  runtime: Runtime,
  partner: PartnerKey,
  details: PayoutDetails,
  { mayReplace = true }: { readonly mayReplace?: boolean } = {},
): Promise<PayoutDetailsView | Rejection> {
  return runtime.engine.write(partner.workspaceId, async (tx) => {
    await lockPartner(tx, partner.id);
    const before = await readPayoutDetails(runtime, partner.id, tx.db);
    const changedFields = changedDetails(before?.details ?? null, details);
    if (before && changedFields.length === 0) return before;
    if (before && !mayReplace) return new Rejection('password_required');
    const updatedAt = runtime.now();
    await savePayoutDetails(tx, {
      partner_id: partner.id,
      workspace_id: partner.workspaceId,
      method: details.method,
      currency: details.currency,
      sealed: sealPayoutDetails(runtime, partner.id, details),
      updated_at: updatedAt,
    });
    await recordChange(tx, runtime, {
      workspaceId: partner.workspaceId,
      action: 'partner.update_payout_details',
      subjectId: partner.id,
      before: before && {},
      after: { changed_fields: changedFields },
    });
    await announcePayoutDetails(tx, runtime, partner, changedFields);
    return { partnerId: partner.id, details, updatedAt };
  });
}

/**
 * Deletes a partner's payout details. Existing batches keep their copy, and receipts keep the details with
 * which the payout was paid. A repeated call changes nothing. The notification and the emails contain no
 * names of changed fields.
 * @param options.mayDelete whether existing details may be deleted. Otherwise returns `password_required`
 * @returns null when the details were deleted, or when there were none
 */
export function removePayoutDetails(
  runtime: Runtime,
  partner: PartnerKey,
  { mayDelete }: { readonly mayDelete: boolean },
): Promise<Rejection | null> {
  return transactOrReject(runtime.engine, partner.workspaceId, async (tx) => {
    await lockPartner(tx, partner.id);
    if (!(await deletePayoutDetails(tx, partner.id))) return null;
    if (!mayDelete) return new Rejection('password_required');
    await recordChange(tx, runtime, {
      workspaceId: partner.workspaceId,
      action: 'partner.delete_payout_details',
      subjectId: partner.id,
      before: {},
      after: null,
    });
    await announcePayoutDetails(tx, runtime, partner, []);
    return null;
  });
}

/**
 * Notifies a partner that the payout details were changed or deleted, in the transaction that stores the
 * change. If an intruder has changed the details, the notification warns the partner.
 */
async function announcePayoutDetails(
  tx: Transaction,
  runtime: Runtime,
  partner: PartnerKey,
  changedFields: readonly (keyof PayoutDetails)[],
): Promise<void> {
  const at = runtime.now();
  await queuePayoutDetailsEmails(tx, runtime, { partnerId: partner.id, changedFields, changedAt: at });
  // Payout details apply to all programs of the workspace, but a notification belongs to one program. Use the
  // program with the lowest id.
  const programId = Math.min(...(await listProgramsOfPartner(tx, partner.id)));
  if (!Number.isFinite(programId)) return;
  await insertNotification(tx, {
    workspace_id: partner.workspaceId,
    program_id: programId,
    partner_id: partner.id,
    kind: 'payout_details_changed',
    dedupe_key: `payout_details:${partner.id}:${at}:${changedFields.join()}`,
    payload: JSON.stringify({ changedFields }),
    created_at: at,
  });
}
