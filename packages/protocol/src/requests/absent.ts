/** Fields for which an empty string counts as absent. */
export const ID_FIELDS: ReadonlySet<string> = new Set([
  'click_id',
  'existing_click_id',
  'customer_key',
  'transaction_id',
  'session_id',
  'product_id',
  'subscription_id',
  'refund_id',
  'idempotency_key',
  'program_id',
  'reference',
  'workspace_id',
  'partner_id',
  'code',
  'short_link',
]);

/** Fields that contain an object whose own fields are normalized too. */
const NESTED = ['additional_data', 'draft'] as const;

/**
 * Normalizes a request body before it is validated. It removes fields that are `null` and ids that are an
 * empty string, also in `additional_data` and `draft`. A body that is not an object becomes an empty object.
 */
export function withoutAbsent(body: unknown): Record<string, unknown> {
  if (!isRecord(body)) return {};
  const present = presentFields(body);
  for (const name of NESTED) {
    const fields = present[name];
    if (isRecord(fields)) present[name] = presentFields(fields);
  }
  return present;
}

function presentFields(fields: Record<string, unknown>): Record<string, unknown> {
  const present: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    // `__proto__` must be skipped, because assigning it would set the prototype of the copy.
    const isAbsent = name === '__proto__' || value === null || (value === '' && ID_FIELDS.has(name));
    if (!isAbsent) present[name] = value;
  }
  return present;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
