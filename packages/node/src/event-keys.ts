const KEY_FIELDS = ['transaction_id', 'customer_key', 'click_id', 'subscription_id'];

/** The ordering keys of an event. Events that share a key must be delivered in order. */
export function eventKeys(body: string): string[] {
  const event = JSON.parse(body) as Readonly<Record<string, unknown>>;
  return KEY_FIELDS.filter((field) => typeof event[field] === 'string').map(
    (field) => `${field}:${event[field]}`,
  );
}
