/** Whose click earns the customer, until it is a lead. */
export type AttributionModel = 'last_click' | 'first_click';

/** How far a customer has come. */
export type CustomerStatus = 'click' | 'lead' | 'conversion';

/** A customer as attribution sees it. */
export interface Attribution {
  readonly status: CustomerStatus;
  readonly partnerId: number | null;
  readonly linkId: number;
}

/**
 * Whose customer it is after a further click. Until the lead the program's model rules: on `last_click` the link
 * just visited wins, on `first_click` the first one stays. From the lead on the customer keeps its partner.
 */
export function attributeFurtherClick(
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

/** A customer that could own a sale or a lead. */
export interface KeyedCustomer {
  readonly id: number;
  readonly customer_key: string | null;
  readonly key_state: 'claimed' | 'verified' | null;
}

/** Which customer a caller with the token means, and what becomes of the key. */
export interface Resolution<C> {
  readonly customer: C;
  /** Customer that loses the key, for it was only claimed in a browser. */
  readonly displaced: C | null;
  /** The key is to be stored on the customer, verified. */
  readonly storesKey: boolean;
  readonly note:
    | 'customer_key_claim_displaced'
    | 'customer_key_claim_replaced'
    | 'customer_key_wins_over_click_id'
    | 'customer_key_claim_passed_over'
    | null;
}

/**
 * Resolves a customer for a caller who holds the program's token. The key decides, but a key that was only claimed
 * in a browser gives way to another click that the caller names: else a partner could claim keys by his own
 * clicks. A verified key never moves. A click whose own key is verified takes no other, but goes before a claim too.
 */
export function resolveByToken<C extends KeyedCustomer>(
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
