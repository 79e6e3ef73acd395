import { isRejection, type Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { MAX_IDS_PER_STATEMENT } from '../storage/database/id-list.ts';
import type { PayoutTotal } from '../storage/money/payable.ts';
import { listPartnerContacts } from '../storage/programs/partners.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { choosePayable, type PayoutOrder, totalPayouts } from './create-payouts.ts';

/** A payout that `createPayouts` would create now. */
export interface PayoutPreview {
  readonly partnerId: number;
  readonly partnerName: string;
  readonly partnerEmail: string;
  readonly currency: string;
  readonly amountCents: number;
}

/**
 * Lists the payouts that `createPayouts` would create now, by partner and currency. Also returns their sums.
 * Stores nothing.
 * @param limit how many payouts to list; the sums include all payouts
 */
export async function previewPayouts(
  runtime: Runtime,
  program: ProgramAccount,
  order: PayoutOrder,
  limit = Number.POSITIVE_INFINITY,
): Promise<{ payouts: PayoutPreview[]; totals: PayoutTotal[] } | Rejection> {
  const payable = await choosePayable(runtime, program, order, runtime.now());
  if (isRejection(payable)) return payable;
  const listed = payable.slice(0, limit);
  const isPart = listed.length < payable.length && listed.length <= MAX_IDS_PER_STATEMENT;
  const ids = isPart ? listed.map(({ partnerId }) => partnerId) : order.partner_ids;
  const contacts =
    listed.length === 0 ? [] : await listPartnerContacts(runtime.engine.read, program.id, ids ?? null);
  const partners = new Map(contacts.map((partner) => [partner.id, partner]));
  const payouts = listed.map(({ partnerId, currency, payableCents }) => ({
    partnerId,
    partnerName: partners.get(partnerId)?.name ?? '',
    partnerEmail: partners.get(partnerId)?.email ?? '',
    currency,
    amountCents: payableCents,
  }));
  return { payouts, totals: totalPayouts(payable) };
}
