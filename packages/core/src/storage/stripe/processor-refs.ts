import { type Kysely, sql } from 'kysely';
import { DAY_MS } from '../../domain/calendar.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { deleteBatch } from '../database/expiry.ts';
import type { Schema } from '../database/schema.ts';
import type { SaleKey } from '../tracking/sales.ts';

/** A search stops when it has found this many ids of a payment. Even a payment with many retries has fewer ids. */
const MAX_CONNECTED_IDS = 200;

/**
 * Finds the workspace's sale that has one of the ids. If several sales match, returns the sale whose id comes first
 * in `refs`.
 */
export async function findSaleByPaymentIds(
  db: Kysely<Schema>,
  workspaceId: number,
  refs: readonly string[],
): Promise<SaleKey | null> {
  if (refs.length === 0) return null;
  const rows = await db
    .selectFrom('processor_refs')
    .select(['ref', 'program_id', 'sale_id'])
    .where('workspace_id', '=', workspaceId)
    .where('ref', 'in', [...new Set(refs)])
    .execute();
  const [first] = rows.sort((a, b) => refs.indexOf(a.ref) - refs.indexOf(b.ref));
  return first ? { programId: first.program_id, saleId: first.sale_id } : null;
}

/**
 * The precision of the stored time at which a pair of payment ids was last used. A use updates the stored times of a
 * payment's pairs only if one of these times is at least this old. Most uses therefore write nothing.
 */
const USE_PRECISION_MS = DAY_MS;

/**
 * Finds all ids of the payment to which the given ids belong. Events connect the ids of a payment in pairs. The search
 * follows these pairs, so it also finds ids that are connected only through other ids. Also updates the time when the
 * pairs were last used.
 * @returns `refs`: the given ids, followed by the ids that were found, in breadth-first order. `isKnownToProcessor`:
 * whether an event contained any of them
 */
export async function findAllPaymentIds(
  tx: Transaction,
  workspaceId: number,
  refs: readonly string[],
  now: number,
): Promise<{ readonly refs: readonly string[]; readonly isKnownToProcessor: boolean }> {
  const found = new Set(refs);
  let isKnownToProcessor = false;
  let isUseStale = false;
  for (let frontier = [...found]; frontier.length > 0 && found.size < MAX_CONNECTED_IDS; ) {
    const rows = await tx.db
      .selectFrom('processor_ties')
      .select(['other', 'used_at'])
      .where('workspace_id', '=', workspaceId)
      .where('ref', 'in', frontier)
      .orderBy('other')
      .execute();
    isKnownToProcessor ||= rows.length > 0;
    isUseStale ||= rows.some((row) => row.used_at <= now - USE_PRECISION_MS);
    frontier = [...new Set(rows.map((row) => row.other))].filter((ref) => !found.has(ref));
    for (const ref of frontier) found.add(ref);
  }
  if (isUseStale) await renewPaymentIdPairs(tx, workspaceId, [...found], now);
  return { refs: [...found], isKnownToProcessor };
}

async function renewPaymentIdPairs(
  tx: Transaction,
  workspaceId: number,
  refs: readonly string[],
  now: number,
): Promise<void> {
  await tx.db
    .updateTable('processor_ties')
    .set({ used_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('ref', 'in', refs)
    .where('used_at', '<', now)
    .execute();
}

/** Deletes a batch of expired pairs of ids of one workspace. @returns the number of deleted pairs */
export async function deleteUnusedPaymentIdPairs(
  tx: Transaction,
  workspaceId: number,
  unusedMs: number,
  now: number,
) {
  const isUnused = sql`workspace_id = ${workspaceId} AND used_at < ${unusedBefore(unusedMs, now)}`;
  return await deleteBatch(tx, 'processor_ties', isUnused);
}

/**
 * Returns the workspace of the pair of ids that has been unused for the longest time. Returns null if every pair was
 * used within `unusedMs`.
 */
export async function findWorkspaceWithUnusedPaymentIdPairs(
  db: Kysely<Schema>,
  unusedMs: number,
  now: number,
): Promise<number | null> {
  const row = await db
    .selectFrom('processor_ties')
    .select('workspace_id')
    .where('used_at', '<', unusedBefore(unusedMs, now))
    .orderBy('used_at')
    .limit(1)
    .executeTakeFirst();
  return row?.workspace_id ?? null;
}

/** Subtracts an extra day, because a pair of ids may have been used up to a day after the stored time. */
function unusedBefore(unusedMs: number, now: number): number {
  return now - unusedMs - USE_PRECISION_MS;
}

/**
 * Stores that the ids belong to the same payment. The payment may not have a sale yet. A single id is paired with
 * itself, so that it is stored too.
 */
export async function connectPaymentIds(
  tx: Transaction,
  workspaceId: number,
  refs: readonly string[],
  now: number,
): Promise<void> {
  const [first, ...others] = [...new Set(refs)];
  if (first === undefined) return;
  const pairs =
    others.length === 0
      ? [[first, first]]
      : others.flatMap((other) => [
          [first, other],
          [other, first],
        ]);
  const rows = pairs.map(([ref = first, other = first]) => ({
    workspace_id: workspaceId,
    ref,
    other,
    used_at: now,
  }));
  await tx.db
    .insertInto('processor_ties')
    .values(rows.sort((a, b) => (a.ref + a.other < b.ref + b.other ? -1 : 1)))
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'ref', 'other'])
        .doUpdateSet({ used_at: now })
        .where('processor_ties.used_at', '<=', now - USE_PRECISION_MS),
    )
    .execute();
}

/**
 * Lists the workspace's sales that have one of the ids, in the order in which they were recorded. On a Citus
 * cluster, ids and sales are on different servers, so they are not joined. The rows of the sales are read only to
 * sort the result, so they are not needed if only one sale is found.
 */
export async function listSalesByReference(
  db: Kysely<Schema>,
  workspaceId: number,
  refs: readonly string[],
): Promise<SaleKey[]> {
  if (refs.length === 0) return [];
  const keys = await db
    .selectFrom('processor_refs')
    .select(['program_id', 'sale_id'])
    .distinct()
    .where('workspace_id', '=', workspaceId)
    .where('ref', 'in', [...new Set(refs)])
    .execute();
  const sales = keys.length < 2 ? keys : await orderByTime(db, keys);
  return sales.map((row) => ({ programId: row.program_id, saleId: row.sale_id }));
}

interface ReferencedSale {
  readonly program_id: number;
  readonly sale_id: number;
}

async function orderByTime(
  db: Kysely<Schema>,
  keys: readonly ReferencedSale[],
): Promise<readonly ReferencedSale[]> {
  const sales = [];
  for (const [programId, ofProgram] of Map.groupBy(keys, (key) => key.program_id)) {
    const rows = await db
      .selectFrom('sales')
      .select(['program_id', 'id as sale_id', 'created_at'])
      .where('program_id', '=', programId)
      .where(
        'id',
        'in',
        ofProgram.map((key) => key.sale_id),
      )
      .execute();
    sales.push(...rows);
  }
  return sales.sort(
    (a, b) => a.created_at - b.created_at || a.sale_id - b.sale_id || a.program_id - b.program_id,
  );
}

export async function listReferencesOfSale(
  db: Kysely<Schema>,
  { programId, saleId }: SaleKey,
): Promise<string[]> {
  const rows = await db
    .selectFrom('processor_refs')
    .select('ref')
    .where('program_id', '=', programId)
    .where('sale_id', '=', saleId)
    .execute();
  return rows.map(({ ref }) => ref);
}

/** Moves all ids of a sale to another sale of the workspace. @returns the number of moved ids */
export async function moveProcessorReferences(tx: Transaction, from: SaleKey, to: SaleKey): Promise<number> {
  const moved = await tx.db
    .updateTable('processor_refs')
    .set({ program_id: to.programId, sale_id: to.saleId })
    .where('program_id', '=', from.programId)
    .where('sale_id', '=', from.saleId)
    .returning('ref')
    .execute();
  return moved.length;
}

/** Adds ids of the payment to a sale. Ids that already belong to another sale are not moved. */
export async function addProcessorReferences(
  tx: Transaction,
  workspaceId: number,
  { programId, saleId }: SaleKey,
  refs: readonly string[],
): Promise<void> {
  const unique = [...new Set(refs)].sort();
  if (unique.length === 0) return;
  await tx.db
    .insertInto('processor_refs')
    .values(unique.map((ref) => ({ workspace_id: workspaceId, ref, program_id: programId, sale_id: saleId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
