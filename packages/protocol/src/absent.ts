/** Fields for which an empty text means absent. */
const ID_FIELDS: ReadonlySet<string> = new Set([
  'click_id',
  'existing_click_id',
  'customer_key',
  'transaction_id',
  'session_id',
  'product_id',
  'subscription_id',
  'idempotency_key',
  'program_id',
  'reference',
  'workspace_id',
  'partner_id',
  'code',
  'short_link',
]);

/**
 * A request body as the schemas take it: what is no object counts as an empty one, `null` counts as absent,
 * and so does an empty text for an id, also one level down in `additional_data`.
 */
export function withoutAbsent(body: unknown): Record<string, unknown> {
  if (!isRecord(body)) return {};
  const present = presentFields(body);
  const data = present['additional_data'];
  if (isRecord(data)) present['additional_data'] = presentFields(data);
  return present;
}

function presentFields(fields: Record<string, unknown>): Record<string, unknown> {
  const present: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    // `__proto__` is no field of ours; copied by assignment it would set the copy's prototype.
    const isAbsent = name === '__proto__' || value === null || (value === '' && ID_FIELDS.has(name));
    if (!isAbsent) present[name] = value;
  }
  return present;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
