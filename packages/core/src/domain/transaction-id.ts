/** Where the transaction id of a sale must be unique. */
export const TRANSACTION_ID_SCOPES = ['service', 'workspace'] as const;

export type TransactionIdScope = (typeof TRANSACTION_ID_SCOPES)[number];

/** The prefixes of Stripe's ids for payment intents, invoices, charges and checkout sessions. */
const PROCESSOR_ID = /^(?:pi|in|ch|py|cs)_/;

/**
 * Whether the transaction id must be unique in the whole service. An id from a payment processor must always be
 * unique in the service, because it identifies the same payment in every workspace.
 */
export function isUniqueInService(transactionId: string, scope: TransactionIdScope): boolean {
  return scope === 'service' || PROCESSOR_ID.test(transactionId);
}
