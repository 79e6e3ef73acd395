import { type Kysely, sql } from 'kysely';
import { isKeptTable } from '../click-partitions.ts';
import type { Schema } from '../schema.ts';
import { describePlacement, isSamePlacement, layoutOf, type Placement, type TableLayout } from './layout.ts';

/** A table of the current schema, with its current placement. Partitions are not listed separately. */
export interface ClusterTable {
  readonly name: string;
  readonly placement: Placement | { readonly kind: 'unknown' };
  /** Null unless Citus manages the table. */
  readonly colocationId: number | null;
}

/** A foreign key between two tables of the current schema. */
export interface ForeignKey {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly definition: string;
}

/**
 * The table that stores the definitions of foreign keys while Citus moves their tables, because Citus does not
 * support these keys during the move. It is dropped at the end.
 */
export const PENDING_FOREIGN_KEYS = 'affkit_pending_foreign_keys';

/** A table that is not where `LAYOUT` places it. */
export interface Misplacement {
  readonly table: string;
  readonly expected: TableLayout | undefined;
  readonly message: string;
}

/** Whether the database has the extension `citus`. */
export async function hasCitus(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql`SELECT FROM pg_extension WHERE extname = 'citus'`.execute(db);
  return rows.length > 0;
}

export async function readTables(db: Kysely<Schema>): Promise<ClusterTable[]> {
  const { rows } = await sql<{
    name: string;
    method: string | null;
    model: string | null;
    column: string | null;
    colocation_id: number | null;
  }>`SELECT c.relname AS name, p.partmethod AS method, p.repmodel AS model,
      CASE WHEN p.partmethod = 'h' THEN column_to_column_name(c.oid, p.partkey) END AS column,
      p.colocationid AS colocation_id
    FROM pg_class AS c LEFT JOIN pg_dist_partition AS p ON p.logicalrelid = c.oid
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    ORDER BY c.relname`.execute(db);
  return rows.map(({ name, method, model, column, colocation_id: colocationId }) => ({
    name,
    placement: placementOf(method, model, column, colocationId),
    colocationId,
  }));
}

function placementOf(
  method: string | null,
  model: string | null,
  column: string | null,
  colocationId: number | null,
): ClusterTable['placement'] {
  if (method === null) return { kind: 'local' };
  if (method === 'h' && column !== null) return { kind: 'distributed', column };
  if (method === 'n' && model === 't') return { kind: 'reference' };
  return { kind: method === 'n' && colocationId === 0 ? 'managed' : 'unknown' };
}

/** Whether the database is used as a cluster: `initCluster` has begun, or a table of the service is known to Citus. */
export function isArrangedAsCluster(tables: readonly ClusterTable[]): boolean {
  return tables.some(
    ({ name, placement }) => name === PENDING_FOREIGN_KEYS || (layoutOf(name) && placement.kind !== 'local'),
  );
}

/** Compares the tables with `LAYOUT`. Tables that the service does not know are reported last. */
export function findMisplaced(tables: readonly ClusterTable[]): Misplacement[] {
  const colocation = tables.find(({ name }) => name === 'customers')?.colocationId;
  const misplaced = tables.flatMap(({ name: table, placement, colocationId }): Misplacement[] => {
    const expected = layoutOf(table);
    if (table === PENDING_FOREIGN_KEYS)
      return [{ table, expected, message: 'foreign keys are not restored yet' }];
    if (!expected) {
      const isHarmless = placement.kind === 'local' || placement.kind === 'reference' || isKeptTable(table);
      return isHarmless ? [] : [{ table, expected, message: `${table} is not a table of Affkit` }];
    }
    if (placement.kind === 'unknown' || !isSamePlacement(placement, expected)) {
      const actual = placement.kind === 'unknown' ? 'unknown' : describePlacement(placement);
      return [
        { table, expected, message: `${table} is ${actual} instead of ${describePlacement(expected)}` },
      ];
    }
    if (
      placement.kind === 'distributed' &&
      placement.column === 'program_id' &&
      colocationId !== colocation
    ) {
      return [{ table, expected, message: `${table} is not co-located with customers` }];
    }
    return [];
  });
  return misplaced.sort((a, b) => Number(a.expected === undefined) - Number(b.expected === undefined));
}

export async function readForeignKeys(db: Kysely<Schema>): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`SELECT k.conname AS name, f.relname AS "from", t.relname AS "to",
      pg_get_constraintdef(k.oid) AS definition
    FROM pg_constraint AS k JOIN pg_class AS f ON f.oid = k.conrelid JOIN pg_class AS t ON t.oid = k.confrelid
    WHERE k.contype = 'f' AND k.conparentid = 0 AND f.relnamespace = current_schema()::regnamespace
      AND t.relnamespace = f.relnamespace
    ORDER BY f.relname, k.conname`.execute(db);
  return rows;
}
