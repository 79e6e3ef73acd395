/** Where the transaction ids of sales are unique. */
export const TRANSACTION_ID_SCOPES = ['service', 'workspace'] as const;

export type TransactionIdScope = (typeof TRANSACTION_ID_SCOPES)[number];

/** Prefixes of the ids that Stripe gives to payment intents, invoices, charges and checkout sessions. */
const PROCESSOR_ID = /^(?:pi|in|ch|py|cs)_/;

/**
 * Whether no two workspaces may use the transaction id. A processor's id names the same payment everywhere, so
 * it is unique in the whole service with either setting.
 */
export function isUniqueInService(transactionId: string, scope: TransactionIdScope): boolean {
  return scope === 'service' || PROCESSOR_ID.test(transactionId);
}
