type Fields = Readonly<Record<string, unknown>>;

/** Before and since 2025-03-31, when invoices and charges ceased to name each other. */
export type ApiVersion = 'acacia' | 'basil';

/** In seconds: where the tests' clock begins. */
const CREATED = Date.UTC(2026, 2, 1, 12) / 1000;
export const CREATED_AT = '2026-03-01T12:00:00.000Z';

export const event = (type: string, object: Fields, previous?: Fields) => ({
  id: 'evt_1',
  object: 'event',
  created: CREATED,
  type,
  data: { object, ...(previous && { previous_attributes: previous }) },
});

/** A finished checkout of 19.99 USD by its mode. */
export const session = (mode: 'payment' | 'subscription', metadata: Fields, fields: Fields = {}) => ({
  id: 'cs_1',
  object: 'checkout.session',
  mode,
  payment_status: 'paid',
  amount_total: 1999,
  currency: 'usd',
  invoice: mode === 'subscription' ? 'in_1' : null,
  payment_intent: mode === 'payment' ? 'pi_1' : null,
  subscription: mode === 'subscription' ? 'sub_1' : null,
  metadata,
  ...fields,
});

/** A paid invoice of a subscription that carries the metadata. */
export const invoice = (version: ApiVersion, metadata: Fields, fields: Fields = {}) => ({
  id: 'in_2',
  object: 'invoice',
  amount_paid: 1999,
  currency: 'usd',
  billing_reason: 'subscription_cycle',
  status: 'paid',
  metadata: {},
  lines: { object: 'list', data: [] },
  ...(version === 'basil'
    ? {
        parent: {
          type: 'subscription_details',
          subscription_details: { metadata, subscription: 'sub_1' },
        },
      }
    : {
        subscription: 'sub_1',
        subscription_details: { metadata },
        charge: 'ch_2',
        payment_intent: 'pi_2',
      }),
  ...fields,
});

/** A charge of 19.99 of which that much was given back, in all. */
export const charge = (version: ApiVersion, refunded: number, fields: Fields = {}) => ({
  id: 'ch_2',
  object: 'charge',
  amount: 1999,
  amount_refunded: refunded,
  refunded: refunded >= 1999,
  currency: 'usd',
  metadata: {},
  payment_intent: 'pi_2',
  ...(version === 'acacia' && { invoice: 'in_2' }),
  ...fields,
});
