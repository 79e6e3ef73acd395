const KEY_FIELDS = ['transaction_id', 'customer_key', 'click_id', 'subscription_id'];

/** What an event is about. Of events that share one, the earlier must arrive first. */
export function eventKeys(body: string): string[] {
  const event = JSON.parse(body) as Readonly<Record<string, unknown>>;
  return KEY_FIELDS.filter((field) => typeof event[field] === 'string').map(
    (field) => `${field}:${event[field]}`,
  );
}
