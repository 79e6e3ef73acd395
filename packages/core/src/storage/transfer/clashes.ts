import { sql } from 'kysely';
import { directoryCodes } from '../../domain/short-link.ts';
import { isUniqueInService, type TransactionIdScope } from '../../domain/transaction-id.ts';
import type { Snapshot } from '../database/engine/engine.ts';
import { isOneOf, type Row } from '../database/rows.ts';

/** A value that must be unique and exists already. */
export interface Clash {
  readonly kind: 'slug' | 'link code' | 'transaction id' | 'payment id' | 'charge' | 'refund' | 'dispute';
  readonly value: string;
  /** The program that has the value. Null for values of a workspace. */
  readonly programId: number | null;
}

/** Ids of the payment processor that are unique in a workspace. */
const WORKSPACE_IDS = {
  processor_refs: { column: 'ref', kind: 'payment id' },
  processor_charges: { column: 'charge', kind: 'charge' },
  processor_refunds: { column: 'refund', kind: 'refund' },
  processor_disputes: { column: 'dispute', kind: 'dispute' },
} as const;

/** The exported tables with unique values. Rows of these tables may clash with rows of this installation. */
export const CLASHING_TABLES: ReadonlySet<string> = new Set([
  'link_directory',
  'sales',
  ...Object.keys(WORKSPACE_IDS),
]);

export async function findSlugClash({ db }: Snapshot, slug: string): Promise<Clash | null> {
  const row = await db.selectFrom('programs').select('id').where('slug', '=', slug).executeTakeFirst();
  return row ? { kind: 'slug', value: slug, programId: row.id } : null;
}

/** Finds the unique values of the given rows that this installation already has. */
export async function findClashes(
  snapshot: Snapshot,
  table: string,
  rows: readonly Row[],
  { workspaceId, scope }: { readonly workspaceId: number; readonly scope: TransactionIdScope },
): Promise<Clash[]> {
  const textsOf = (column: string) => rows.map((row) => String(row[column]));
  if (table === 'link_directory') {
    const codes = textsOf('short_link').flatMap(directoryCodes);
    return await findOwners(snapshot, 'link_directory', 'short_link', codes, 'link code');
  }
  if (table === 'sales') {
    const ids = textsOf('processor_event_id').filter((id) => isUniqueInService(id, scope));
    return await findOwners(snapshot, 'transaction_directory', 'processor_event_id', ids, 'transaction id');
  }
  if (!(table in WORKSPACE_IDS)) return [];
  const { column, kind } = WORKSPACE_IDS[table as keyof typeof WORKSPACE_IDS];
  const { rows: found } = await sql<{ value: string }>`SELECT ${sql.ref(column)} AS value
    FROM ${sql.table(table)} WHERE workspace_id = ${workspaceId}
    AND ${isOneOf(snapshot, column, textsOf(column))}`.execute(snapshot.db);
  return found.map(({ value }) => ({ kind, value, programId: null }));
}

async function findOwners(
  snapshot: Snapshot,
  table: 'link_directory' | 'transaction_directory',
  column: string,
  values: readonly string[],
  kind: Clash['kind'],
): Promise<Clash[]> {
  if (values.length === 0) return [];
  const { rows } = await sql<{ value: string; programId: number }>`SELECT ${sql.ref(column)} AS value,
    program_id AS "programId" FROM ${sql.table(table)} WHERE ${isOneOf(snapshot, column, values)}`.execute(
    snapshot.db,
  );
  return rows.map(({ value, programId }) => ({ kind, value, programId }));
}
