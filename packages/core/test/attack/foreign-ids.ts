import type { JsonSchema } from '../../src/http/openapi/document.ts';
import type { Api, Operation } from './operations.ts';
import type { RowKind, Tenant } from './tenant.ts';

/** A position in a request at which an id occurs, such as a path parameter or a field of the body. */
export interface Position {
  readonly part: 'path' | 'query' | 'body' | 'data';
  readonly name: string;
  /** For `path`: the indexes of the path parameters that contain the id. */
  readonly parameters?: readonly number[];
}

/** The other tenant's value for each field that identifies rows of a tenant. */
const FOREIGN_VALUES: Readonly<Record<string, (tenant: Tenant) => unknown>> = {
  workspace_id: (tenant) => tenant.workspaceId,
  program_id: (tenant) => first(tenant.rows.program),
  program_scope: (tenant) => [first(tenant.rows.program)],
  partner_id: (tenant) => first(tenant.rows.partner),
  partner_ids: (tenant) => [first(tenant.rows.partner)],
  excluded_partner_ids: (tenant) => [first(tenant.rows.partner)],
  ids: (tenant) => [first(tenant.rows.commission), first(tenant.rows.partner)],
  items: (tenant) => [{ id: first(tenant.rows.payout) }],
  payout_ids: (tenant) => [first(tenant.rows.payout)],
  link_id: (tenant) => first(tenant.rows.link),
  commission_id: (tenant) => first(tenant.rows.commission),
  payout_id: (tenant) => first(tenant.rows.payout),
  click_id: (tenant) => first(tenant.known.clickIds),
  existing_click_id: (tenant) => first(tenant.known.clickIds),
  customer_key: (tenant) => first(tenant.known.customerKeys),
  transaction_id: (tenant) => first(tenant.known.transactionIds),
  transaction_ids: (tenant) => tenant.known.transactionIds.slice(0, 2),
  processor_refs: (tenant) => tenant.known.transactionIds.slice(0, 2),
  product_id: (tenant) => first(tenant.productIds),
};
/** Fields whose names look like ids, although they do not identify a row. */
const NO_ROWS = [
  'claimed_keys',
  'session_id',
  'sub_id',
  'subscription_id',
  'account_id',
  'stripe_account_id',
  'tax_id',
  'refund_id',
  'idempotency_key',
];
const LOOKS_LIKE_ID = /_(?:ids?|keys?|refs|scope)$/;

/** Returns all positions in the operation's requests at which ids occur. */
export function positionsOf({ operations: _, schemas }: Api, operation: Operation): Position[] {
  const { pathKinds } = operation;
  const sets = pathKinds.map((_kind, index) => [index]);
  if (pathKinds.length > 1) sets.push(pathKinds.map((_kind, index) => index));
  const positions = sets.map((parameters): Position => {
    return { part: 'path', name: parameters.map((index) => pathKinds[index]).join(' and '), parameters };
  });
  for (const name of Object.keys(operation.query).filter(isRowId)) positions.push({ part: 'query', name });
  const fields = fieldsOf(operation.body ?? {}, schemas);
  for (const name of fields.keys()) if (isRowId(name)) positions.push({ part: 'body', name });
  for (const name of fieldsOf(fields.get('additional_data') ?? {}, schemas).keys())
    if (isRowId(name)) positions.push({ part: 'data', name });
  return positions;
}

/** @throws Error for a field that looks like an id, but is neither in `FOREIGN_VALUES` nor in `NO_ROWS` */
function isRowId(name: string): boolean {
  if (Object.hasOwn(FOREIGN_VALUES, name)) return true;
  if (LOOKS_LIKE_ID.test(name) && !NO_ROWS.includes(name)) {
    throw new Error(`${name} looks like an id. Add it to FOREIGN_VALUES or NO_ROWS.`);
  }
  return false;
}

export function foreignValue(name: string, tenant: Tenant): unknown {
  return FOREIGN_VALUES[name]?.(tenant);
}

/** Returns the path with ids of the tenant `own`. The parameters in `foreignParameters` get ids of `foreign`. */
export function pathWith(
  { path, pathKinds }: Operation,
  own: Tenant,
  foreign: Tenant,
  foreignParameters: readonly number[] = [],
): string {
  let index = -1;
  return path.replaceAll(/:\w+/g, (parameter) => {
    // Uses the newest slug, because requests with the tenant's own ids change the slug of the first program.
    if (parameter === ':slug') return own.known.slugs.at(-1) ?? '';
    index += 1;
    const kind: RowKind | undefined = pathKinds[index];
    const tenant = foreignParameters.includes(index) ? foreign : own;
    return kind === undefined ? '' : String(first(tenant.rows[kind]));
  });
}

function fieldsOf(
  schema: JsonSchema,
  schemas: Readonly<Record<string, JsonSchema>>,
): ReadonlyMap<string, JsonSchema> {
  if (schema.$ref !== undefined) {
    return fieldsOf(schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {}, schemas);
  }
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const inherited = parts.flatMap((part) => [...fieldsOf(part, schemas)]);
  return new Map([...inherited, ...Object.entries(schema.properties ?? {})]);
}

function first<T>(values: readonly T[]): T {
  const [value] = values;
  if (value === undefined) throw new Error('The tenant has no such row');
  return value;
}
