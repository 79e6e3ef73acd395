import { isRejection, type Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { listPartnerContacts } from '../storage/programs/partners.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { choosePayable, type PayoutOrder } from './create-payouts.ts';

/** A payout that `createPayouts` would create now. */
export interface PayoutPreview {
  readonly partnerId: number;
  readonly partnerName: string;
  readonly partnerEmail: string;
  readonly currency: string;
  readonly amountCents: number;
}

/** The sums of payouts by currency. */
export function totalPayouts(payouts: readonly PayoutPreview[]) {
  return [...Map.groupBy(payouts, ({ currency }) => currency)].map(([currency, rows]) => ({
    currency,
    payouts: rows.length,
    amount_cents: rows.reduce((sum, { amountCents }) => sum + amountCents, 0),
  }));
}

/**
 * Lists the payouts that `createPayouts` would create now, by partner and currency. It does not store
 * anything.
 */
export async function previewPayouts(
  runtime: Runtime,
  program: ProgramAccount,
  order: PayoutOrder,
): Promise<PayoutPreview[] | Rejection> {
  const payable = await choosePayable(runtime, program, order, runtime.now());
  if (isRejection(payable)) return payable;
  const { partner_ids: requestedIds = null } = order;
  const contacts = await listPartnerContacts(runtime.engine.read, program.id, requestedIds);
  const partners = new Map(contacts.map((partner) => [partner.id, partner]));
  return payable.map(({ partnerId, currency, payableCents }) => ({
    partnerId,
    partnerName: partners.get(partnerId)?.name ?? '',
    partnerEmail: partners.get(partnerId)?.email ?? '',
    currency,
    amountCents: payableCents,
  }));
}
