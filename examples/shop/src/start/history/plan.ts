export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const HISTORY_DAYS = 90;

/** A call to a tracking route. */
export interface TrackingCall {
  /** Epoch milliseconds, an integer. */
  readonly at: number;
  /** The visit that the call belongs to. Calls of one visit are sent one after the other. */
  readonly visit: number;
  readonly route: 'click' | 'lead' | 'sale' | 'refund';
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether the click id of the visit is added to the body. */
  readonly needsClickId?: true;
  /** The browser that sends the call, without the tracking token. Absent if the shop's server sends the call. */
  readonly browser?: { readonly ip: string; readonly origin?: string };
  /** Whether the service rejects the call. The dashboard then shows the reason. */
  readonly isRejected?: true;
}

/** The time range of a history, and the shop that it belongs to. */
export interface Plan {
  /** Midnight (UTC) of the first day. */
  readonly start: number;
  /** Nothing happens at this time or later. */
  readonly end: number;
  readonly shopUrl: string;
}

/** The payment processor's ids of the disputed sale. */
export const DISPUTED = { charge: 'ch_demo_1', paymentIntent: 'pi_demo_1' } as const;
