import { MARKER, type Tenant } from './tenant.ts';

/** Matches stack traces, SQL, driver messages and file paths, which no response may contain. */
const INTERNALS =
  /\n\s+at \S|node_modules|SQLITE_|\b(?:SELECT|INSERT INTO|DELETE FROM|UPDATE) "?\w|violates \w+ constraint|syntax error|\.ts:\d|file:\/\/\/|\/packages\/|constraint failed|invalid byte sequence|Cannot read propert|is not a function/;

const SECRETS = /aff[ikrs]?_[0-9A-Za-z]{36}|whsec_/;

const programsOf = ({ rows }: Tenant) => [...rows.program, ...rows.emptyProgram];

/** The fields of replies that identify rows of a tenant. */
const ID_FIELDS = {
  workspace_id: (tenant: Tenant) => [tenant.workspaceId],
  program_id: programsOf,
  programId: programsOf,
  partner_id: (tenant: Tenant) => tenant.rows.partner,
  user_id: (tenant: Tenant) => tenant.userIds,
  sale_id: (tenant: Tenant) => tenant.saleIds,
  commission_id: (tenant: Tenant) => tenant.rows.commission,
  payout_id: (tenant: Tenant) => tenant.rows.payout,
  batch_id: (tenant: Tenant) => tenant.rows.payoutBatch,
  link_id: (tenant: Tenant) => tenant.rows.link,
} satisfies Readonly<Record<string, (tenant: Tenant) => readonly number[]>>;

/** Reports internals of the service that a response contains. */
export function findInternals(text: string): string[] {
  const found = INTERNALS.exec(text);
  return found ? [`The response contains internals: ${found[0].trim()}`] : [];
}

/** Reports credentials that a response contains, unless the request contained them. */
export function findSecrets(text: string, sentText: string): string[] {
  const found = SECRETS.exec(text);
  return found && !sentText.includes(found[0]) ? [`The response contains a secret: ${found[0]}`] : [];
}

/**
 * Reports texts and secrets of other tenants that a response contains.
 * @param caller undefined if the request had no valid credential
 * @param sentText the whole request. Text that the caller already knows is not a leak
 */
export function findForeignData(
  text: string,
  sentText: string,
  caller: Tenant | undefined,
  others: readonly Tenant[],
): string[] {
  const known = new Set(others.flatMap((tenant) => Object.values(tenant.known).flat().flatMap(markersIn)));
  const markers = markersIn(text).filter(
    (marker) =>
      Number(/\d+/.exec(marker)?.[0]) !== caller?.number && !known.has(marker) && !sentText.includes(marker),
  );
  return [
    ...new Set(markers.map((marker) => `The response contains ${marker} of another tenant`)),
    ...findForeignSecrets(text, others),
  ];
}

/** Reports secrets of other tenants: texts that the service shows to nobody else, not even on a public page. */
export function findForeignSecrets(text: string, others: readonly Tenant[]): string[] {
  return others
    .flatMap((tenant) => tenant.secrets.filter((secret) => text.includes(secret)))
    .map((secret) => `The response contains the secret ${secret} of another tenant`);
}

/** Reports ids of other tenants' rows in the fields of a reply, unless the request contained them. */
export function findForeignIds(body: unknown, sentText: string, others: readonly Tenant[]): string[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) => {
    const isForeign =
      typeof value === 'number' &&
      Object.hasOwn(ID_FIELDS, name) &&
      others.some((tenant) => ID_FIELDS[name as keyof typeof ID_FIELDS](tenant).includes(value)) &&
      !new RegExp(`\\b${value}\\b`).test(sentText);
    const own = isForeign ? [`${name} is ${value}, a row of another tenant`] : [];
    return [...own, ...findForeignIds(value, sentText, others)];
  });
}

function markersIn(text: string): string[] {
  return [...text.matchAll(MARKER)].map(([marker]) => marker.toLowerCase());
}
