import type { RefundInput, SaleInput } from '../input/events.ts';
import { countOf, type Json, objectOf, rowsOf, textOf } from './json.ts';
import { type Payment, paymentOf } from './payment.ts';
import { readTracking } from './tracking.ts';
import { fromStripeUnits } from './units.ts';

/** What an event asks to be sent. */
export type TrackCall = { readonly sale: SaleInput } | { readonly refund: RefundInput };

export interface TrackCallOptions {
  /**
   * The transaction that a refund is of, where you know it better. Since API version 2025-03-31 a refunded charge
   * no longer names its invoice, and a subscription's sale is recorded under the invoice: ask Stripe for it
   * (`stripe.invoicePayments.list`) and give it here.
   */
  readonly transactionId?: string | undefined;
}

const MAX_REFS = 10;
/** The last second that a date can have. */
const MAX_SECONDS = 8_640_000_000_000;

/**
 * The call that an event stands for, by the same mapping as Affkit's own Stripe webhook, so that the two may run
 * side by side and each payment is recorded once. Null where there is nothing to send: another type, nothing paid,
 * an amount of 0, or a payment without tracking. `event` is verified by then: this reads what it is given.
 *
 * The sale is recorded under the payment intent (mode `payment`) or the invoice (mode `subscription`), else the
 * session; the other ids go into `processor_refs`. A refund is what `charge.refunded` newly gives back, or the
 * whole sale where the charge was refunded in one.
 */
export function toTrackCall(event: unknown, options: TrackCallOptions = {}): TrackCall | null {
  const payment = paymentOf(event);
  if (payment === undefined || !payment.isPaid) return null;
  const created = countOf(objectOf(event)['created']);
  const occurredAt =
    created === undefined || created > MAX_SECONDS
      ? {}
      : { occurred_at: new Date(created * 1000).toISOString() };
  return objectOf(event)['type'] === 'charge.refunded'
    ? toRefund(payment, objectOf(objectOf(event)['data']), occurredAt, options)
    : toSale(payment, readTracking(event), occurredAt);
}

function toSale(
  payment: Payment,
  tracking: ReturnType<typeof readTracking>,
  occurredAt: { occurred_at?: string },
): TrackCall | null {
  const [transactionId, ...refs] = payment.refs;
  const currency = textOf(payment.currency);
  const amount = amountOf(payment.amount, currency);
  if (transactionId === undefined || amount === undefined || amount === 0 || currency === undefined)
    return null;
  const { clickId, customerKey } = tracking ?? {};
  if (clickId === undefined && customerKey === undefined) return null;
  const { subscription } = payment;
  return {
    sale: {
      transaction_id: transactionId,
      amount_cents: amount,
      currency: currency.toUpperCase(),
      ...(clickId !== undefined && { click_id: clickId }),
      ...(customerKey !== undefined && { customer_key: customerKey }),
      sale_type: subscription === undefined ? 'payment' : 'subscription',
      is_recurring: subscription !== undefined,
      ...(subscription !== undefined && { subscription_id: subscription }),
      ...(refs.length > 0 && { processor_refs: refs.slice(0, MAX_REFS) }),
      ...occurredAt,
    },
  };
}

function toRefund(
  payment: Payment,
  data: Json,
  occurredAt: { occurred_at?: string },
  options: TrackCallOptions,
): TrackCall | null {
  const charge = objectOf(data['object']);
  const transactionId = options.transactionId ?? payment.refs[0];
  const currency = textOf(payment.currency);
  const refunded = amountOf(payment.amount, currency);
  if (transactionId === undefined || refunded === undefined) return null;
  const before = amountOf(objectOf(data['previous_attributes'])['amount_refunded'], currency) ?? 0;
  const amount = refunded - before;
  if (amount <= 0) return null;
  const isWhole = charge['refunded'] === true && before === 0;
  const reason = textOf(rowsOf(charge['refunds'])[0]?.['reason']);
  return {
    refund: {
      transaction_id: transactionId,
      ...(!isWhole && { refund_amount_cents: amount }),
      ...(reason !== undefined && { refund_reason: reason }),
      ...occurredAt,
    },
  };
}

function amountOf(value: unknown, currency: string | undefined): number | undefined {
  const amount = countOf(value);
  return amount === undefined ? undefined : countOf(fromStripeUnits(amount, currency ?? ''));
}
