const KEY_FIELDS = ['transaction_id', 'customer_key', 'click_id', 'subscription_id'];

/**
 * The ordering keys of an event. Events that share a key must be delivered in order. A refund may name its sale by one
 * of the `processor_refs` of the sale, so these count as transaction ids.
 */
export function eventKeys(body: string): string[] {
  const event = JSON.parse(body) as Readonly<Record<string, unknown>>;
  const { processor_refs: refs = [] } = event;
  return KEY_FIELDS.filter((field) => typeof event[field] === 'string')
    .map((field) => `${field}:${event[field]}`)
    .concat([refs].flat().map((ref) => `transaction_id:${ref}`));
}
