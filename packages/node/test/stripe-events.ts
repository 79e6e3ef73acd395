import * as stripe from '../../core/test/support/stripe-events.ts';

type Fields = Readonly<Record<string, unknown>>;

/** When the events were made. */
export const CREATED_AT = new Date(stripe.CREATED * 1000).toISOString();

/** @param previous what the event changed, as it was before */
export const event = (type: string, object: Fields, previous?: Fields) =>
  stripe.event(type, object, { data: { object, ...(previous && { previous_attributes: previous }) } });

/** A finished checkout of 19.99 USD by its mode. */
export const session = (mode: 'payment' | 'subscription', metadata: Fields, fields: Fields = {}) =>
  mode === 'payment'
    ? stripe.paymentSession('1', metadata, fields)
    : stripe.subscriptionSession('1', metadata, fields);

/** The second invoice of the subscription `sub_1`, which carries the metadata. */
export const invoice = (version: stripe.ApiVersion, metadata: Fields, fields: Fields = {}) =>
  stripe.invoice(version, '2', '1', metadata, fields);

/** The charge of that invoice, 19.99, of which that much was given back in all. */
export const charge = (version: stripe.ApiVersion, refunded: number, fields: Fields = {}) =>
  stripe.charge(version, '2', refunded, 1999, fields);
