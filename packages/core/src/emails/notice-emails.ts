import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { PayoutRow } from '../storage/money/payouts.ts';
import { findPartnerById } from '../storage/programs/partners.ts';
import type { Notice } from '../storage/tracking/outbox.ts';
import type { EmailData } from './email-data.ts';
import { queuePartnerEmail } from './queue-emails.ts';

/** An event of a payout. `detail` is the reference of the payment, or the reason why it failed. */
interface PayoutEvent {
  readonly kind: 'payout_created' | 'payout_paid' | 'payout_failed';
  readonly detail: string | null;
  /** Distinguishes several attempts to pay the same payout. */
  readonly attempt?: string;
}

/**
 * Stores the email that tells the partner about an event of a payout, in the transaction of the event. If the email
 * about the event is already stored, no second email is stored.
 */
export async function queuePayoutEmail(
  tx: Transaction,
  runtime: Runtime,
  payout: Pick<PayoutRow, 'id' | 'program_id' | 'partner_id' | 'amount_cents' | 'currency'>,
  { kind, detail, attempt = '' }: PayoutEvent,
): Promise<void> {
  const { id: payoutId, program_id: programId, partner_id, amount_cents: amountCents, currency } = payout;
  await queueToPartner(tx, runtime, partner_id, {
    kind,
    programId,
    dedupeKey: `${kind}:${programId}:${payoutId}:${attempt}`,
    data: { partnerId: partner_id, payoutId, amountCents, currency, detail },
  });
}

/** Stores the email for a notice to a partner. Does nothing if notices of this kind are not sent by email. */
export async function queueNoticeEmail(
  tx: Transaction,
  runtime: Runtime,
  { programId, dedupeKey }: { readonly programId: number; readonly dedupeKey: string },
  { partnerId, kind, payload }: Notice,
): Promise<void> {
  if (partnerId === null || runtime.mail === null) return;
  if (kind === 'commission_refunded' || kind === 'commission_reversed') {
    const { commissionId, deductionCents, currency } = payload as unknown as DeductionPayload;
    // The refund was too small to deduct anything, or everything was deducted before.
    if (deductionCents === 0) return;
    const emailData = { partnerId, commissionId, deductionCents, currency };
    await queueToPartner(tx, runtime, partnerId, { kind, programId, dedupeKey, data: emailData });
  }
  if (kind === 'payout_paid') {
    const { reference, ...paid } = payload as unknown as PaidPayload;
    const payout = { ...paid, program_id: programId, partner_id: partnerId };
    const row = { ...payout, id: paid.payoutId, amount_cents: paid.amountCents };
    await queuePayoutEmail(tx, runtime, row, { kind, detail: reference });
  }
}

/** The payload of the notice about a deduction. */
interface DeductionPayload {
  readonly commissionId: number;
  readonly deductionCents: number;
  readonly currency: string;
}

/** The payload of the notice about a paid payout. */
interface PaidPayload {
  readonly payoutId: number;
  readonly amountCents: number;
  readonly currency: string;
  readonly reference: string | null;
}

async function queueToPartner<
  Kind extends
    | 'payout_created'
    | 'payout_paid'
    | 'payout_failed'
    | 'commission_refunded'
    | 'commission_reversed',
>(
  tx: Transaction,
  runtime: Runtime,
  partnerId: number,
  event: {
    readonly kind: Kind;
    readonly programId: number;
    readonly dedupeKey: string;
    readonly data: EmailData[Kind];
  },
): Promise<void> {
  if (runtime.mail === null) return;
  const partner = await findPartnerById(tx.db, partnerId);
  if (partner !== null) await queuePartnerEmail(tx, runtime, partner, event);
}
