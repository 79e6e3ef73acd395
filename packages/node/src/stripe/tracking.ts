import { objectOf, textOf } from './json.ts';
import { paymentOf } from './payment.ts';

/** Whose sale it will be, as Stripe carries it. */
export interface Tracking {
  /** The Affkit program; required, since Stripe's webhooks name none. */
  readonly programId: number | string;
  /** From the cookie `service_click_id`. */
  readonly clickId?: string | null | undefined;
  /** Your own stable id of the user, the same as in the lead. */
  readonly customerKey?: string | null | undefined;
}

/** The tracking that an event carries. */
export interface ReadTracking {
  readonly programId: string | undefined;
  readonly clickId: string | undefined;
  readonly customerKey: string | undefined;
}

type Metadata = Record<string, string | number | null>;

interface MayCarryMetadata {
  metadata?: unknown;
}

/** The part of the parameters of a Checkout session that is read and written; Stripe's own type fits. */
export interface SessionParams {
  mode?: string | undefined;
  metadata?: unknown;
  payment_intent_data?: MayCarryMetadata | undefined;
  subscription_data?: MayCarryMetadata | undefined;
}

/**
 * The parameters of a Checkout session with the tracking in every place where Stripe's events look for it: the
 * session's metadata, and by mode the subscription's (for renewals) or the payment intent's. The metadata of a
 * session reaches neither by itself. What the parameters hold already is kept. Without a click id and a customer
 * key nobody could be credited, and they are given back as they are.
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
    const data = params.subscription_data;
    return { ...attached, subscription_data: { ...data, metadata: merge(data?.metadata, metadata) } };
  }
  if (params.mode === 'setup') return attached;
  const data = params.payment_intent_data;
  return { ...attached, payment_intent_data: { ...data, metadata: merge(data?.metadata, metadata) } };
}

/**
 * The tracking that an event about a checkout, an invoice or a refund carries, wherever the API version puts it;
 * null for other events and where there is none.
 */
export function readTracking(event: unknown): ReadTracking | null {
  const all = (paymentOf(event)?.places ?? []).map((place) => objectOf(objectOf(place)['metadata']));
  const find = (key: string) => all.map((one) => textOf(one[key])).find((text) => text !== undefined);
  const tracking = {
    programId: find('program_id'),
    clickId: find('service_click_id'),
    customerKey: find('service_customer_key'),
  };
  return Object.values(tracking).some((value) => value !== undefined) ? tracking : null;
}

function merge(present: unknown, added: Metadata): Metadata {
  // Whatever else it holds is Stripe's to check.
  return { ...(objectOf(present) as Metadata), ...added };
}
