/** Returns a sale row without a customer. It is not a test sale. */
export function sampleSale(programId: number, at: number) {
  return {
    program_id: programId,
    customer_id: null,
    partner_id: null,
    click_id: null,
    customer_key: null,
    amount_cents: 10_000,
    currency: 'USD',
    sale_type: 'payment' as const,
    payment_status: 'paid',
    is_recurring: 0 as const,
    subscription_id: null,
    subscription_interval: null,
    product_id: null,
    line_items: null,
    additional_data: null,
    fingerprint: null,
    no_commission_reason: null,
    window_days: null,
    is_test: 0 as const,
    sale_at: at,
    created_at: at,
  };
}

/** Returns a pending commission row without its amount, hold and sale. */
export function sampleCommission(programId: number, partnerId: number, at: number) {
  return {
    program_id: programId,
    partner_id: partnerId,
    customer_id: 1,
    first_commission_id: null,
    subscription_id: null,
    deducted_cents: 0,
    currency: 'USD',
    status: 'pending' as const,
    approved_at: null,
    rejected_at: null,
    payout_id: null,
    paid_at: null,
    refund_reason: null,
    commission_at: at,
    created_at: at,
  };
}
