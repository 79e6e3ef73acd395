import type { Kysely } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import type { SaleKey } from '../tracking/sales.ts';

/** More ids than any payment has, including partial payments and retries. */
const MAX_TIED = 200;

/** Finds the workspace's sale that has one of the ids. If several sales do, the order of `refs` decides. */
export async function findSaleByReference(
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
 * Adds all ids that events have tied to the given ids, directly or through other ids.
 * @returns the ids in breadth-first order, and whether any event contained one of them
 */
export async function expandProcessorReferences(
  db: Kysely<Schema>,
  workspaceId: number,
  refs: readonly string[],
): Promise<{ readonly refs: readonly string[]; readonly isTied: boolean }> {
  const found = new Set(refs);
  let isTied = false;
  for (let frontier = [...found]; frontier.length > 0 && found.size < MAX_TIED; ) {
    const rows = await db
      .selectFrom('processor_ties')
      .select('other')
      .where('workspace_id', '=', workspaceId)
      .where('ref', 'in', frontier)
      .orderBy('other')
      .execute();
    isTied ||= rows.length > 0;
    frontier = [...new Set(rows.map((row) => row.other))].filter((ref) => !found.has(ref));
    for (const ref of frontier) found.add(ref);
  }
  return { refs: [...found], isTied };
}

/**
 * Stores that the ids belong to one payment, which may not have a sale yet. A single id is tied to itself.
 */
export async function tieProcessorReferences(
  tx: Transaction,
  workspaceId: number,
  refs: readonly string[],
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
  const rows = pairs.map(([ref = first, other = first]) => ({ workspace_id: workspaceId, ref, other }));
  await tx.db
    .insertInto('processor_ties')
    .values(rows.sort((a, b) => (a.ref + a.other < b.ref + b.other ? -1 : 1)))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Lists the workspace's sales that have any of the ids, in the order in which they were recorded. */
export async function listSalesByReference(
  db: Kysely<Schema>,
  workspaceId: number,
  refs: readonly string[],
): Promise<SaleKey[]> {
  if (refs.length === 0) return [];
  const rows = await db
    .selectFrom('processor_refs')
    .innerJoin('sales', (join) =>
      join
        .onRef('sales.program_id', '=', 'processor_refs.program_id')
        .onRef('sales.id', '=', 'processor_refs.sale_id'),
    )
    .select(['sales.program_id', 'sales.id', 'sales.created_at'])
    .distinct()
    .where('processor_refs.workspace_id', '=', workspaceId)
    .where('processor_refs.ref', 'in', [...new Set(refs)])
    .orderBy('sales.created_at')
    .orderBy('sales.id')
    .orderBy('sales.program_id')
    .execute();
  return rows.map((row) => ({ programId: row.program_id, saleId: row.id }));
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

/** Adds ids of its payment to a sale. Ids of other sales stay with those. */
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
