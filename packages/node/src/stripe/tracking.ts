import { asObject, nonEmptyString } from './json.ts';
import { readPayment } from './payment.ts';

/** The data that attributes a Stripe payment to a customer of Affkit. */
export interface Tracking {
  /**
   * The id of the Affkit program. Required, because Stripe webhooks contain the program's id only if you set
   * it.
   */
  readonly programId: number | string;
  /** The value of the cookie `service_click_id`. Null, undefined and an empty string count as absent. */
  readonly clickId?: string | null | undefined;
  /**
   * Your own stable id of the user: the same id that you sent with the lead. Null, undefined and an empty
   * string count as absent.
   */
  readonly customerKey?: string | null | undefined;
}

/** The tracking metadata of a Stripe event. At least one field is set. */
export interface TrackingMetadata {
  readonly programId: string | undefined;
  readonly clickId: string | undefined;
  readonly customerKey: string | undefined;
}

type Metadata = Record<string, string | number | null>;

interface MayCarryMetadata {
  metadata?: unknown;
}

/**
 * The Checkout session parameters that `attachTracking` reads and writes. Compatible with
 * `Stripe.Checkout.SessionCreateParams`.
 */
export interface SessionParams {
  mode?: string | undefined;
  metadata?: unknown;
  payment_intent_data?: MayCarryMetadata | undefined;
  subscription_data?: MayCarryMetadata | undefined;
}

/**
 * Adds the tracking metadata to the parameters of a Checkout session. Stripe does not copy the metadata of a
 * session to its payment intent or subscription. This function therefore sets the metadata twice: on the
 * session and, depending on `mode`, on the payment intent or the subscription. Renewals get it from the
 * subscription.
 *
 * Existing parameters and metadata are preserved. If both `clickId` and `customerKey` are absent, the sale
 * cannot be attributed, and `params` is returned unchanged.
 *
 * @returns new parameters; `params` itself is not modified
 *
 * @example
 * ```ts
 * const params = attachTracking(
 *   { mode: 'subscription', line_items, success_url },
 *   { programId: 7, clickId: cookies.service_click_id, customerKey: user.id },
 * );
 * const session = await stripe.checkout.sessions.create(params);
 * ```
 */
export function attachTracking<Params extends SessionParams>(params: Params, tracking: Tracking): Params {
  const { programId, clickId, customerKey } = tracking;
  const metadata: Metadata = {};
  if (clickId !== undefined && clickId !== null && clickId !== '') metadata['service_click_id'] = clickId;
  if (customerKey !== undefined && customerKey !== null && customerKey !== '') {
    metadata['service_customer_key'] = customerKey;
  }
  if (Object.keys(metadata).length === 0) return params;
  metadata['program_id'] = String(programId);
  const attached = { ...params, metadata: merge(params.metadata, metadata) };
  if (params.mode === 'subscription') {
    const subscription = params.subscription_data;
    return {
      ...attached,
      subscription_data: { ...subscription, metadata: merge(subscription?.metadata, metadata) },
    };
  }
  if (params.mode === 'setup') return attached;
  const payment = params.payment_intent_data;
  return { ...attached, payment_intent_data: { ...payment, metadata: merge(payment?.metadata, metadata) } };
}

/**
 * Reads the tracking metadata of an event about a checkout session, an invoice, a payment intent or a charge,
 * in any API version.
 *
 * @returns null for other events and for events without tracking metadata
 */
export function readTracking(event: unknown): TrackingMetadata | null {
  const sources = readPayment(event)?.metadataSources ?? [];
  const find = (key: string) => findMetadata(sources, key);
  const tracking = {
    programId: find('program_id'),
    clickId: find('service_click_id'),
    customerKey: find('service_customer_key'),
  };
  return Object.values(tracking).some((value) => value !== undefined) ? tracking : null;
}

/** Returns the value of a key from the first object whose metadata contains the key. */
export function findMetadata(sources: readonly unknown[], key: string): string | undefined {
  return sources
    .map((place) => nonEmptyString(asObject(asObject(place)['metadata'])[key]))
    .find((text) => text !== undefined);
}

function merge(present: unknown, added: Metadata): Metadata {
  // The caller's own metadata is not validated here, because Stripe validates it.
  return { ...(asObject(present) as Metadata), ...added };
}
