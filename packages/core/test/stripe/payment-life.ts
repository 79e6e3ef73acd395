import fc from 'fast-check';
import type Stripe from 'stripe';
import {
  charge,
  creditNote,
  type DisputeStatus,
  dispute,
  event,
  invoice,
  invoicePayment,
  paymentIntent,
  paymentSession,
  refund,
  type StripeEvent,
  subscriptionSession,
} from '../support/stripe-events.ts';
import type { Shape } from '../support/stripe-shape.ts';

/** A refund of a payment. It refunds the fraction `share` of what earlier refunds have left. */
interface RefundLife {
  readonly share: number;
  readonly ending: 'succeeded' | 'pending' | 'failed' | 'canceled' | 'confirmed';
  readonly hasCreditNote: boolean;
}

interface DisputeLife {
  readonly ending: 'open' | 'inquiry closed' | 'won' | 'lost' | 'lost, appealed' | 'lost, then won';
  readonly share: number;
}

/** A payment, with its later refunds and disputes. */
interface PaymentLife {
  readonly amountCents: number;
  readonly taxCents: number;
  readonly refunds: readonly RefundLife[];
  readonly disputes: readonly DisputeLife[];
  /** Which refund events the endpoint receives: events of the charge, events of each refund, or both. */
  readonly refundEvents: 'charge' | 'refund' | 'both';
}

/** A one-time payment, and a subscription with its first payment and a renewal. */
export interface CustomerLife {
  readonly base: 'total' | 'net';
  readonly hasSession: boolean;
  readonly once: PaymentLife;
  readonly first: PaymentLife;
  readonly renewal: PaymentLife;
}

const share = fc.constantFrom(0.01, 0.25, 0.333, 0.5, 1);
const payments: fc.Arbitrary<PaymentLife> = fc.record({
  amountCents: fc.integer({ min: 500, max: 5_000 }),
  taxCents: fc.nat(99),
  refunds: fc.array(
    fc.record({
      share,
      ending: fc.constantFrom('succeeded', 'pending', 'failed', 'canceled', 'confirmed'),
      hasCreditNote: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  disputes: fc.array(
    fc.record({
      ending: fc.constantFrom('open', 'inquiry closed', 'won', 'lost', 'lost, appealed', 'lost, then won'),
      share,
    }),
    { maxLength: 2 },
  ),
  refundEvents: fc.constantFrom('charge', 'refund', 'both'),
});
export const customerLives: fc.Arbitrary<CustomerLife> = fc.record({
  base: fc.constantFrom('total', 'net'),
  hasSession: fc.boolean(),
  once: payments,
  first: payments,
  renewal: payments,
});

/** Creates an event. The compiler checks that Stripe documents this object for this type of event. */
function typedEvent<Type extends Stripe.Event['type']>(
  type: Type,
  object: Shape<Extract<Stripe.Event, { type: Type }>['data']['object']>,
): StripeEvent {
  return event(type, { ...object });
}

interface Names {
  readonly once: string;
  readonly first: string;
  readonly renewal: string;
}

/** Returns all events of a customer, in the order in which Stripe creates them. */
export function eventsOfCustomer(
  life: CustomerLife,
  names: Names,
  metadata: Readonly<Record<string, string>>,
): StripeEvent[] {
  const { once, first, renewal } = life;
  const total = (payment: PaymentLife) => ({
    amount_subtotal: payment.amountCents - payment.taxCents,
    amount_total: payment.amountCents,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: payment.taxCents },
  });
  const session = paymentSession(names.once, metadata, total(once));
  const subscription = subscriptionSession(names.first, metadata, total(first));
  return [
    ...(life.hasSession ? [typedEvent('checkout.session.completed', session)] : []),
    ...eventsOfPayment(once, names.once, metadata),
    typedEvent('checkout.session.completed', subscription),
    ...eventsOfInvoice(first, names.first, names.first, metadata),
    ...eventsOfInvoice(renewal, names.renewal, names.first, metadata),
  ];
}

function eventsOfInvoice(
  payment: PaymentLife,
  name: string,
  sub: string,
  metadata: Readonly<Record<string, string>>,
): StripeEvent[] {
  const { amountCents, taxCents } = payment;
  const bill = invoice('current', name, sub, metadata, {
    amount_due: amountCents,
    amount_paid: amountCents,
    subtotal: amountCents - taxCents,
    total: amountCents,
    total_taxes: [{ amount: taxCents, tax_behavior: 'exclusive', type: 'tax_rate_details' }],
  });
  const paid = { amount_paid: amountCents, amount_requested: amountCents };
  return [
    typedEvent('invoice.paid', bill),
    typedEvent('invoice.payment_succeeded', bill),
    typedEvent('invoice_payment.paid', invoicePayment(name, paid)),
    // Stripe does not copy the metadata of a subscription to its payment intents.
    ...eventsOfPayment(payment, name, {}),
  ];
}

function eventsOfPayment(
  payment: PaymentLife,
  name: string,
  metadata: Readonly<Record<string, string>>,
): StripeEvent[] {
  const { amountCents } = payment;
  const amounts = { amount: amountCents, amount_received: amountCents };
  return [
    typedEvent('payment_intent.succeeded', paymentIntent('current', name, metadata, amounts)),
    typedEvent('charge.succeeded', charge('current', name, 0, amountCents, { metadata })),
    ...eventsOfRefunds(payment, name, metadata),
    ...payment.disputes.flatMap((one, index) => eventsOfDispute(payment, one, name, index)),
  ];
}

/**
 * Returns the refunds of a payment with their amounts. If the endpoint receives only the events of the charge, leaves
 * out failed and canceled refunds. Only the events of a refund report that it failed.
 */
function refundsOf({ amountCents, refunds, refundEvents }: PaymentLife) {
  let left = amountCents;
  return refunds.flatMap(({ share, ending, ...refund }) => {
    const cents = Math.floor(left * share);
    const isMade = !['failed', 'canceled'].includes(ending);
    if (cents === 0 || (!isMade && refundEvents === 'charge')) return [];
    if (isMade) left -= cents;
    return [{ ...refund, ending, cents, isMade }];
  });
}

function eventsOfRefunds(
  payment: PaymentLife,
  name: string,
  metadata: Readonly<Record<string, string>>,
): StripeEvent[] {
  let refundedCents = 0;
  const isInvoice = Object.keys(metadata).length === 0;
  return refundsOf(payment).flatMap(({ ending, cents, isMade, hasCreditNote }, index) => {
    const id = `${name}_${index}`;
    const as = (status: string) => refund(name, id, cents, { status });
    // Stripe's total includes a refund until the refund fails.
    const total = charge('current', name, refundedCents + cents, payment.amountCents, { metadata });
    if (isMade) refundedCents += cents;
    const isTotalKnown = ending !== 'canceled' && payment.refundEvents !== 'refund';
    const refunded = isTotalKnown ? [typedEvent('charge.refunded', total)] : [];
    if (payment.refundEvents === 'charge') return refunded;
    const waits = ending === 'canceled' || ending === 'confirmed';
    const status = ending === 'confirmed' ? 'succeeded' : ending;
    const noted = creditNote('current', name, id, Math.ceil(cents / 2));
    return [
      typedEvent('refund.created', as(waits ? 'requires_action' : isMade ? status : 'pending')),
      ...refunded,
      ...(isInvoice && hasCreditNote && !waits
        ? [typedEvent('credit_note.created', { ...noted, id: `cn_${id}` })]
        : []),
      typedEvent('refund.updated', as(status)),
      typedEvent('charge.refund.updated', as(status)),
      ...(ending === 'failed' ? [typedEvent('refund.failed', as('failed'))] : []),
    ];
  });
}

function eventsOfDispute(
  { amountCents }: PaymentLife,
  { ending, share }: DisputeLife,
  name: string,
  index: number,
): StripeEvent[] {
  const cents = Math.ceil(amountCents * share);
  const as = (status: DisputeStatus, fields: Shape<Stripe.Dispute> = {}) =>
    dispute(name, status, cents, { id: `dp_${name}_${index}`, ...fields });
  if (ending === 'inquiry closed') {
    return [
      typedEvent('charge.dispute.created', as('warning_needs_response')),
      typedEvent('charge.dispute.updated', as('warning_under_review')),
      typedEvent('charge.dispute.closed', as('warning_closed')),
    ];
  }
  const won = [
    typedEvent('charge.dispute.closed', as('won')),
    typedEvent('charge.dispute.funds_reinstated', as('won')),
  ];
  const lost = [typedEvent('charge.dispute.closed', as('lost'))];
  const appeal = [
    typedEvent('charge.dispute.updated', as('appeal_needs_response')),
    typedEvent('charge.dispute.updated', as('appeal_under_review')),
  ];
  return [
    typedEvent('charge.dispute.created', as('needs_response', { balance_transactions: [] })),
    typedEvent('charge.dispute.funds_withdrawn', as('needs_response')),
    typedEvent('charge.dispute.updated', as('under_review')),
    ...(ending === 'won' ? won : []),
    ...(ending.startsWith('lost') ? lost : []),
    ...(ending === 'lost, appealed' ? appeal : []),
    ...(ending === 'lost, then won' ? [...appeal, ...won] : []),
  ];
}

/** The expected amounts of a sale. */
export interface ExpectedSale {
  readonly id: string;
  readonly amount_cents: number;
  readonly is_recurring: 0 | 1;
  readonly commission_cents: number;
  readonly deducted_cents: number;
  readonly disputed: 0 | 1;
  readonly status: 'reversed' | 'refunded' | 'not refunded';
}

/**
 * Computes the expected sales of a customer from the description of its payments, without any event. The
 * program pays 20 percent.
 */
export function expectedSales(life: CustomerLife, names: Names): ExpectedSale[] {
  const isTaxKnown = life.hasSession;
  const sale = (id: string, payment: PaymentLife, isRecurring: boolean, taxCents = payment.taxCents) => {
    const { amountCents, disputes } = payment;
    const commissionCents = Math.round((amountCents - (life.base === 'net' ? taxCents : 0)) * 0.2);
    const refundedCents = refundsOf(payment).reduce((sum, one) => sum + (one.isMade ? one.cents : 0), 0);
    const lostCents = disputes
      .filter(({ ending }) => ending === 'lost' || ending === 'lost, appealed')
      .reduce((sum, one) => sum + Math.ceil(amountCents * one.share), 0);
    const takenCents = Math.min(amountCents, refundedCents + lostCents);
    return {
      id,
      amount_cents: amountCents,
      is_recurring: isRecurring ? (1 as const) : (0 as const),
      commission_cents: commissionCents,
      deducted_cents: Math.round((commissionCents * takenCents) / amountCents),
      disputed: disputes.some(({ ending }) => ending === 'open') ? (1 as const) : (0 as const),
      status:
        takenCents === 0
          ? ('not refunded' as const)
          : takenCents === amountCents
            ? ('reversed' as const)
            : ('refunded' as const),
    };
  };
  return [
    sale(`pi_${names.once}`, life.once, false, isTaxKnown ? life.once.taxCents : 0),
    sale(`in_${names.first}`, life.first, false),
    sale(`in_${names.renewal}`, life.renewal, true),
  ];
}
