import type { RefundInput, SaleInput } from '../input/events.ts';
import { asObject, idOf, type Json, listData, nonEmptyString, nonNegativeInteger } from './json.ts';
import { readPayment, type StripePayment } from './payment.ts';
import { findMetadata, readTracking } from './tracking.ts';
import { fromStripeUnits } from './units.ts';

/** The SDK call to make for a Stripe event. */
export type TrackCall = { readonly sale: SaleInput } | { readonly refund: RefundInput };

/** Options of {@link toTrackCall}. */
export interface TrackCallOptions {
  /**
   * The `transaction_id` of the refunded sale. Required for refunds of subscription payments since API
   * version 2025-03-31: their sale is recorded under the invoice id, which a refunded charge no longer
   * contains. Look up the invoice with `stripe.invoicePayments.list`.
   *
   * @default the id of the charge's invoice, otherwise of its payment intent, otherwise of the charge
   */
  readonly transactionId?: string | undefined;
}

const MAX_REFS = 10;
/** The largest time value of a `Date`, in seconds. */
const MAX_SECONDS = 8_640_000_000_000;

/**
 * Converts a Stripe event to the SDK call that records it. Affkit's own Stripe webhook uses the same mapping,
 * so you can use both at the same time: each payment is recorded once.
 *
 * The `transaction_id` is the id of the payment intent (mode `payment`) or of the invoice (mode
 * `subscription`). If the event has neither, it is the id of the session or charge. The other ids go into
 * `processor_refs`.
 *
 * `refund.created`, `refund.updated` and `charge.refund.updated` become a refund with the id of Stripe's refund
 * as `refund_id`, so each refund counts once. A `charge.refunded` event that contains its refunds becomes a
 * refund in the same way. Since API version 2022-11-15, `charge.refunded` contains only the sum of the refunds.
 * The function then returns null, because the sum could include refunds that other events report too. Subscribe
 * to `refund.created` instead. The SDK cannot report that a refund failed. Affkit's own webhook restores the
 * commission after a failed refund.
 *
 * Unlike the webhook, this function returns null for a payment of 0, because the API requires a positive amount.
 *
 * @param event an event whose signature you have verified; this function does not verify it
 * @returns null if there is nothing to send: the event has another type, the amount is 0 or not yet paid, the payment
 * has no tracking metadata, the refund has no id, the refund failed, or the refund waits for the customer
 *
 * @example
 * ```ts
 * const event = await affkit.webhooks.fromRequest<Stripe.Event>(request);
 * const call = toTrackCall(event);
 * if (call !== null && 'sale' in call) await affkit.sale(call.sale);
 * if (call !== null && 'refund' in call) await affkit.refund(call.refund);
 * ```
 */
export function toTrackCall(event: unknown, options: TrackCallOptions = {}): TrackCall | null {
  const payment = readPayment(event);
  if (payment === undefined) return null;
  const created = nonNegativeInteger(asObject(event)['created']);
  const occurredAt =
    created === undefined || created > MAX_SECONDS
      ? {}
      : { occurred_at: new Date(created * 1000).toISOString() };
  const object = asObject(asObject(asObject(event)['data'])['object']);
  switch (asObject(event)['type']) {
    case 'charge.refunded': {
      // Stripe lists the latest refund first. That refund caused this event.
      const [latest] = listData(object['refunds']);
      return latest === undefined ? null : toRefund(payment, latest, occurredAt, options);
    }
    case 'refund.created':
    case 'refund.updated':
    case 'charge.refund.updated':
      return toRefund(payment, object, occurredAt, options);
    default:
      return payment.isPaid ? toSale(payment, readTracking(event), occurredAt) : null;
  }
}

function toSale(
  payment: StripePayment,
  tracking: ReturnType<typeof readTracking>,
  occurredAt: { occurred_at?: string },
): TrackCall | null {
  const [transactionId, ...refs] = payment.refs;
  const currency = nonEmptyString(payment.currency);
  const amount = amountOf(payment.amount, currency);
  if (transactionId === undefined || amount === undefined || amount === 0 || currency === undefined)
    return null;
  const { clickId, customerKey } = tracking ?? {};
  const click = clickId === undefined ? undefined : { click_id: clickId };
  const customer = customerKey === undefined ? click : { ...click, customer_key: customerKey };
  if (customer === undefined) return null;
  const { subscription, metadataSources } = payment;
  const tax = amountOf(payment.tax, currency) ?? metadataCents(metadataSources, 'service_tax_cents');
  const shipping =
    amountOf(payment.shipping, currency) ?? metadataCents(metadataSources, 'service_shipping_cents');
  return {
    sale: {
      transaction_id: transactionId,
      amount_cents: amount,
      currency: currency.toUpperCase(),
      ...customer,
      sale_type: subscription === undefined ? 'payment' : 'subscription',
      is_recurring: payment.isRenewal,
      ...(subscription !== undefined && { subscription_id: subscription }),
      ...productFields(payment, currency),
      ...(tax !== undefined && { tax_cents: Math.min(tax, amount) }),
      ...(shipping !== undefined && {
        shipping_cents: Math.min(shipping, amount - Math.min(tax ?? 0, amount)),
      }),
      ...(refs.length > 0 && { processor_refs: refs.slice(0, MAX_REFS) }),
      ...occurredAt,
    },
  };
}

/** @param refund a Stripe refund */
function toRefund(
  payment: StripePayment,
  refund: Json,
  occurredAt: { occurred_at?: string },
  options: TrackCallOptions,
): TrackCall | null {
  const transactionId = options.transactionId ?? payment.refs[0];
  const id = idOf(refund);
  const currency = nonEmptyString(refund['currency']) ?? nonEmptyString(payment.currency);
  const amount = amountOf(refund['amount'], currency);
  const reason = nonEmptyString(refund['reason']);
  // A refund that failed, or that waits for the customer, moved no money.
  const isMade = ['succeeded', 'pending'].includes(nonEmptyString(refund['status']) ?? 'succeeded');
  if (!isMade || !transactionId || !id || !amount) return null;
  return {
    refund: {
      transaction_id: transactionId,
      refund_id: id,
      refund_amount_cents: amount,
      ...(reason !== undefined && { refund_reason: reason }),
      ...occurredAt,
    },
  };
}

/** The products of the payment, as the server reads them from a webhook. */
function productFields(
  { lines, interval, metadataSources }: StripePayment,
  currency: string,
): Pick<SaleInput, 'product_id' | 'subscription_interval' | 'line_items'> {
  const lineItems = lines.map((line) => ({
    product_id: line.productId ?? null,
    price_id: line.priceId ?? null,
    description: line.description ?? null,
    quantity: line.quantity ?? null,
    amount_cents: fromStripeUnits(line.amount, currency),
    tax_cents: fromStripeUnits(line.tax, currency),
  }));
  const paidLines = lineItems.filter((line) => line.amount_cents > 0);
  const [first, ...others] = new Set(
    (paidLines.length > 0 ? paidLines : lineItems).map((line) => line.product_id),
  );
  // If no single product applies to the whole payment, each line item earns commission by the policy of its
  // own product.
  const product =
    findMetadata(metadataSources, 'service_product_id') ?? (others.length === 0 ? first : undefined);
  return {
    ...(typeof product === 'string' && { product_id: product }),
    ...(interval !== undefined && { subscription_interval: interval }),
    ...(lineItems.length > 0 && { line_items: { data: lineItems } }),
  };
}

/** Reads an amount from metadata, where Stripe allows only strings. */
function metadataCents(sources: readonly unknown[], key: string): number | undefined {
  const text = findMetadata(sources, key);
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

function amountOf(value: unknown, currency: string | undefined): number | undefined {
  const amount = nonNegativeInteger(value);
  return amount === undefined ? undefined : nonNegativeInteger(fromStripeUnits(amount, currency ?? ''));
}
