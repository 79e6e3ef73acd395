import { METADATA_KEYS } from '@affkit/protocol';
import type Stripe from 'stripe';
import * as stripe from '../../core/test/support/stripe-events.ts';
import type { Shape } from '../../core/test/support/stripe-shape.ts';

type Fields = Readonly<Record<string, unknown>>;
type Metadata = Readonly<Record<string, string>>;

/** The metadata of program 7, click `clk_1` and customer `user-1`. */
export const METADATA = {
  [METADATA_KEYS.programId]: '7',
  [METADATA_KEYS.clickId]: 'clk_1',
  [METADATA_KEYS.customerKey]: 'user-1',
};

/** The creation time of the events. */
export const CREATED_AT = new Date(stripe.CREATED * 1000).toISOString();

/** Returns a Stripe event. `previous` becomes `previous_attributes`: the changed fields with their old values. */
export const event = (type: string, object: Fields, previous?: Fields) =>
  stripe.event(type, object, { data: { object, ...(previous && { previous_attributes: previous }) } });

/** Returns a completed Checkout session of 19.99 USD. */
export const session = (
  mode: 'payment' | 'subscription',
  metadata: Metadata,
  fields: Shape<Stripe.Checkout.Session> = {},
): Shape<Stripe.Checkout.Session> =>
  mode === 'payment'
    ? stripe.paymentSession('1', metadata, fields)
    : stripe.subscriptionSession('1', metadata, fields);

/** Returns the second invoice of the subscription `sub_1`, with the metadata. */
export const invoice = (
  version: stripe.ApiVersion,
  metadata: Metadata,
  fields: Shape<Stripe.Invoice> = {},
): Shape<Stripe.Invoice> => stripe.invoice(version, '2', '1', metadata, fields);

/** Returns the charge of 19.99 USD that pays this `invoice`. `refunded` is the refunded total in cents. */
export const charge = (
  version: stripe.ApiVersion,
  refunded: number,
  fields: Shape<Stripe.Charge> = {},
): Shape<Stripe.Charge> => stripe.charge(version, '2', refunded, 1999, fields);

/** Returns the payment intent of this `charge`. */
export const paymentIntent = (
  version: stripe.ApiVersion,
  metadata: Metadata,
  fields: Shape<Stripe.PaymentIntent> = {},
): Shape<Stripe.PaymentIntent> => stripe.paymentIntent(version, '2', metadata, fields);

/** Returns a refund of this `charge`. */
export const refund = (id: string, amount: number, fields: Shape<Stripe.Refund> = {}): Shape<Stripe.Refund> =>
  stripe.refund('2', id, amount, fields);
