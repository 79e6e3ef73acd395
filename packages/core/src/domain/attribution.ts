/** Which click determines the partner of a customer. Once the customer is a lead, the partner does not change. */
export type AttributionModel = 'last_click' | 'first_click';

/** The furthest funnel stage that a customer has reached. */
export type CustomerStatus = 'click' | 'lead' | 'conversion';

/** The fields of a customer that determine the attribution. */
export interface Attribution {
  readonly status: CustomerStatus;
  readonly partnerId: number | null;
  readonly linkId: number;
}

/**
 * Decides the partner and link of an existing customer after another click. Before the lead, the program's
 * model decides: `last_click` takes the link of the new click, and `first_click` keeps the first link. After
 * the lead, the partner never changes.
 *
 * @returns `countsForWindow`: whether the click restarts the attribution window; true if the link of the click
 * belongs to the customer's partner
 */
export function attributeLaterClick(
  customer: Attribution,
  link: { readonly partnerId: number; readonly linkId: number },
  model: AttributionModel,
): { readonly partnerId: number | null; readonly linkId: number; readonly countsForWindow: boolean } {
  const moves = customer.status === 'click' && model === 'last_click';
  const partnerId = moves ? link.partnerId : customer.partnerId;
  return {
    partnerId,
    linkId: moves ? link.linkId : customer.linkId,
    countsForWindow: link.partnerId === partnerId,
  };
}

/** A customer to whom a lead or a sale may be attributed. */
export interface AttributionCandidate {
  readonly id: number;
  readonly customer_key: string | null;
  /** `claimed` if a browser set the key, and `verified` if a request with the tracking token set the key. */
  readonly key_state: 'claimed' | 'verified' | null;
}

/** The customer of a request with a tracking token, and the changes to customer keys. */
export interface Resolution<C> {
  readonly customer: C;
  /** The customer whose claimed key moves to `customer`, if any. Only a browser had set the key. */
  readonly displaced: C | null;
  /** Whether the caller must set the key of `customer` to the key of the request. */
  readonly storesKey: boolean;
  /** The reason code that the trace shows, or null when nothing unusual happened. */
  readonly note:
    | 'customer_key_claim_displaced'
    | 'customer_key_claim_replaced'
    | 'customer_key_wins_over_click_id'
    | 'customer_key_claim_passed_over'
    | null;
}

/**
 * Finds the customer of a request that carries the program's tracking token.
 *
 * - A verified key takes precedence over the click id, and never moves to another customer.
 * - A claimed key was set only by a browser. If the click belongs to another customer, the click takes
 *   precedence over the key, and the key moves to the customer of the click. Without this rule, a partner
 *   could guess the key of a customer and claim it first, with its own click. It would then be credited with the later
 *   sales of this customer, although they belong to another click.
 * - If the customer of the click already has a verified key, the click still takes precedence, but no key moves.
 */
export function resolveByToken<C extends AttributionCandidate>(
  customerKey: string | undefined,
  byKey: C | null,
  byClick: C | null,
): Resolution<C> | null {
  if (byKey && byClick && byKey.id !== byClick.id) {
    if (byKey.key_state !== 'claimed')
      return { customer: byKey, displaced: null, storesKey: false, note: 'customer_key_wins_over_click_id' };
    return byClick.key_state === 'verified'
      ? { customer: byClick, displaced: null, storesKey: false, note: 'customer_key_claim_passed_over' }
      : { customer: byClick, displaced: byKey, storesKey: true, note: 'customer_key_claim_displaced' };
  }
  if (byKey) {
    const confirmed = byClick !== null && byKey.key_state === 'claimed';
    return { customer: byKey, displaced: null, storesKey: confirmed, note: null };
  }
  if (!byClick) return null;
  const storesKey = customerKey !== undefined && byClick.key_state !== 'verified';
  const replaces = storesKey && byClick.customer_key !== null;
  return {
    customer: byClick,
    displaced: null,
    storesKey,
    note: replaces ? 'customer_key_claim_replaced' : null,
  };
}
