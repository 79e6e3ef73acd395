import type { WebhookData } from '@affkit/protocol';
import { isoTime } from '../domain/calendar.ts';
import type { CommissionRow } from '../storage/money/commissions.ts';
import type { PayoutRow } from '../storage/money/payouts.ts';
import type { RefundRow } from '../storage/money/refunds.ts';
import type { Partner } from '../storage/programs/partners.ts';
import type { SaleRow } from '../storage/tracking/sales.ts';
import type { NewWebhookEvent } from '../storage/webhooks/events.ts';

type CommissionEventType =
  | 'commission.created'
  | 'commission.approved'
  | 'commission.rejected'
  | 'commission.reversed';

/** The columns of a commission that the events about it contain. */
export type PublishedCommission = Pick<
  CommissionRow,
  | 'program_id'
  | 'id'
  | 'sale_id'
  | 'customer_id'
  | 'partner_id'
  | 'status'
  | 'amount_cents'
  | 'deducted_cents'
  | 'currency'
  | 'commission_at'
>;

/** @param commission the commission after the change */
export function commissionEvent(type: CommissionEventType, commission: PublishedCommission): NewWebhookEvent {
  const data: WebhookData<CommissionEventType> = {
    program_id: commission.program_id,
    commission_id: commission.id,
    sale_id: commission.sale_id,
    customer_id: commission.customer_id,
    partner_id: commission.partner_id,
    status: commission.status,
    amount_cents: commission.amount_cents,
    deducted_cents: commission.deducted_cents,
    currency: commission.currency,
    commission_at: isoTime(commission.commission_at),
  };
  return { type, data };
}

type PublishedRefund = Pick<
  RefundRow,
  'id' | 'refund_id' | 'applied_cents' | 'deduction_cents' | 'reason' | 'refund_at'
>;

export function refundEvent(
  refund: PublishedRefund,
  sale: Pick<SaleRow, 'id' | 'program_id' | 'processor_event_id' | 'currency'>,
  commission: Pick<CommissionRow, 'id' | 'partner_id' | 'currency'>,
): NewWebhookEvent {
  return {
    type: 'refund.created',
    data: {
      program_id: sale.program_id,
      refund_row_id: refund.id,
      refund_id: refund.refund_id,
      sale_id: sale.id,
      transaction_id: sale.processor_event_id,
      commission_id: commission.id,
      partner_id: commission.partner_id,
      amount_cents: refund.applied_cents,
      currency: sale.currency,
      deduction_cents: refund.deduction_cents,
      deduction_currency: commission.currency,
      reason: refund.reason,
      refund_at: isoTime(refund.refund_at),
    },
  };
}

/** @param payout the payout after the change */
export function payoutEvent(
  type: 'payout.created' | 'payout.paid' | 'payout.cancelled',
  payout: Pick<
    PayoutRow,
    'program_id' | 'id' | 'partner_id' | 'status' | 'amount_cents' | 'currency' | 'reference'
  >,
): NewWebhookEvent {
  const data: WebhookData<'payout.paid'> = {
    program_id: payout.program_id,
    payout_id: payout.id,
    partner_id: payout.partner_id,
    status: payout.status,
    amount_cents: payout.amount_cents,
    currency: payout.currency,
    reference: payout.reference,
  };
  return { type, data };
}

export function partnerEvent(
  type: 'partner.applied' | 'partner.approved' | 'partner.rejected',
  programId: number,
  { id, name, email }: Pick<Partner, 'id' | 'name' | 'email'>,
  reason: string | null,
): NewWebhookEvent {
  const data: WebhookData<'partner.applied'> = {
    program_id: programId,
    partner_id: id,
    name,
    email,
    reason,
  };
  return { type, data };
}
