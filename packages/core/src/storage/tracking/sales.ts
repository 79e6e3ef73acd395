import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import { isUniqueInService, type TransactionIdScope } from '../../domain/transaction-id.ts';
import type { Engine, Transaction } from '../database/engine/engine.ts';
import { UniqueConflict } from '../database/retry-on-conflict.ts';
import { insertRows, isOneOf, type Row } from '../database/rows.ts';
import type { NoCommissionReason, Schema } from '../database/schema.ts';
import { withoutIndex } from '../database/without-index.ts';
import { pruneTestEvents } from './test-events.ts';

export type SaleRow = Selectable<Schema['sales']>;
export interface SaleKey {
  readonly programId: number;
  readonly saleId: number;
}

/** The sale of a charge or dispute. Null while the sale is unknown. */
export function saleKeyOf(row: Record<'program_id' | 'sale_id', number | null>): SaleKey | null {
  const { program_id: programId, sale_id: saleId } = row;
  return programId === null || saleId === null ? null : { programId, saleId };
}

export type NewSale = Insertable<Schema['sales']>;

export async function findSale(
  db: Kysely<Schema>,
  programId: number,
  saleId: number,
): Promise<SaleRow | null> {
  const row = await db
    .selectFrom('sales')
    .selectAll()
    .where('program_id', '=', programId)
    .where('id', '=', saleId)
    .executeTakeFirst();
  return row ?? null;
}

/** Finds a sale of the program by its transaction id. */
export async function findSaleByTransaction(
  db: Kysely<Schema>,
  programId: number,
  transactionId: string,
  isTest: 0 | 1,
): Promise<SaleRow | null> {
  const row = await db
    .selectFrom('sales')
    .selectAll()
    .where('program_id', '=', programId)
    .where('is_test', '=', isTest)
    .where('processor_event_id', '=', transactionId)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Returns which of the given ids belong to real sales of the program. An id may be a transaction id or
 * another id of the payment.
 */
export async function listKnownTransactions(
  engine: Pick<Engine, 'dialect' | 'read'>,
  program: { readonly id: number; readonly workspaceId: number },
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const sales = await engine.read
    .selectFrom('sales')
    .select('processor_event_id as ref')
    .where('program_id', '=', program.id)
    .where('is_test', '=', 0)
    .where(isOneOf(engine, 'processor_event_id', ids))
    .execute();
  const processorRefs = await engine.read
    .selectFrom('processor_refs')
    .select('ref')
    .where('workspace_id', '=', program.workspaceId)
    .where(isOneOf(engine, 'ref', ids))
    .where(withoutIndex('program_id'), '=', program.id)
    .execute();
  return new Set([...sales, ...processorRefs].map((row) => row.ref));
}

/** A sale to store, and all ids of its payment. */
export interface SaleDraft {
  readonly workspaceId: number;
  readonly refs: readonly string[];
  readonly sale: Row & {
    readonly program_id: number;
    readonly processor_event_id: string;
  };
}

/**
 * Stores real sales, and claims their transaction ids and payment ids.
 * @returns the ids of the sales, in the given order
 * @throws UniqueConflict when another process has claimed one of the ids
 */
export async function insertSales(
  tx: Transaction,
  drafts: readonly SaleDraft[],
  scope: TransactionIdScope,
): Promise<number[]> {
  const insertedSales = await insertRows<{ id: number; processor_event_id: string }>(
    tx,
    'sales',
    drafts.map(({ sale }) => sale),
    sql`ON CONFLICT (program_id, is_test, processor_event_id) DO NOTHING RETURNING id, processor_event_id`,
  );
  const saleIdOf = new Map(insertedSales.map((row) => [row.processor_event_id, row.id]));
  const sales = drafts.map(({ sale, workspaceId, refs }) => {
    const id = saleIdOf.get(sale.processor_event_id);
    if (id === undefined) throw new UniqueConflict('Another process has stored the transaction id');
    return { id, sale, workspaceId, refs: new Set([sale.processor_event_id, ...refs]) };
  });
  const byText =
    <T>(textOf: (one: T) => string) =>
    (a: T, b: T) =>
      textOf(a) < textOf(b) ? -1 : 1;
  const directory = await insertRows<{ processor_event_id: string }>(
    tx,
    'transaction_directory',
    sales
      .map(({ id, sale }) => ({
        processor_event_id: sale.processor_event_id,
        program_id: sale.program_id,
        sale_id: id,
      }))
      .sort(byText((row) => row.processor_event_id)),
    sql`ON CONFLICT DO NOTHING RETURNING processor_event_id`,
  );
  const references = sales.flatMap(({ id, sale, workspaceId, refs }) =>
    [...refs].map((ref) => ({ workspace_id: workspaceId, ref, program_id: sale.program_id, sale_id: id })),
  );
  const insertedRefs = await insertRows(
    tx,
    'processor_refs',
    references.sort(byText((row) => row.ref)),
    sql`ON CONFLICT DO NOTHING RETURNING ref`,
  );
  // The directory contains every transaction id, so that `TRANSACTION_IDS` can be set back to `service`. If
  // sales of several workspaces have the same id, it contains the first of these sales.
  const claimed = new Set(directory.map((row) => row.processor_event_id));
  const isTaken = sales.some(
    ({ sale: { processor_event_id: id } }) => !claimed.has(id) && isUniqueInService(id, scope),
  );
  if (isTaken || insertedRefs.length !== references.length) {
    throw new UniqueConflict('Another process has stored the transaction id or another id of the payment');
  }
  return sales.map(({ id }) => id);
}

/**
 * Stores a test sale.
 * @returns its id, or null when the program already has a test sale with the same transaction id
 */
export async function insertTestSale(tx: Transaction, sale: NewSale): Promise<number | null> {
  const row = await tx.db
    .insertInto('sales')
    .values(sale)
    .onConflict((conflict) => conflict.columns(['program_id', 'is_test', 'processor_event_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row) await pruneTestEvents(tx, 'sales', sale.program_id);
  return row?.id ?? null;
}

/** Stores details that the sale does not have yet. Existing details are kept. */
export async function fillSaleDetails(
  tx: Transaction,
  { programId, saleId }: SaleKey,
  details: Pick<
    SaleRow,
    'product_id' | 'subscription_interval' | 'line_items' | 'tax_cents' | 'shipping_cents'
  >,
): Promise<void> {
  await tx.db
    .updateTable('sales')
    .set(({ fn, ref, val }) => ({
      product_id: fn.coalesce(ref('product_id'), val(details.product_id)),
      subscription_interval: fn.coalesce(ref('subscription_interval'), val(details.subscription_interval)),
      line_items: fn.coalesce(ref('line_items'), val(details.line_items)),
      tax_cents: fn.coalesce(ref('tax_cents'), val(details.tax_cents)),
      shipping_cents: fn.coalesce(ref('shipping_cents'), val(details.shipping_cents)),
    }))
    .where('program_id', '=', programId)
    .where('id', '=', saleId)
    .execute();
}

/** The reasons for which a sale earns nothing, unless it is recognized as a renewal. */
const RENEWAL_REASONS: readonly NoCommissionReason[] = ['window_expired', 'recurring_ended'];

/**
 * Whether the sale earned nothing, but may still earn as a renewal once the first commission of its subscription is
 * known.
 */
export function mayEarnAsRenewal({ no_commission_reason: reason }: SaleRow): boolean {
  return reason !== null && RENEWAL_REASONS.includes(reason);
}

/** Lists the payments of a subscription that earned nothing, but may still earn as renewals. */
export async function listUnearnedRenewals(
  tx: Transaction,
  programId: number,
  customerId: number,
  subscriptionId: string,
): Promise<SaleRow[]> {
  return await tx.db
    .selectFrom('sales')
    .selectAll()
    .where('program_id', '=', programId)
    .where('customer_id', '=', customerId)
    .where('subscription_id', '=', subscriptionId)
    .where('is_test', '=', 0)
    .where('no_commission_reason', 'in', RENEWAL_REASONS)
    .orderBy('sale_at')
    .orderBy('id')
    .execute();
}

/**
 * Whether the subscription has a recorded payment that was not reported as a renewal, such as its first payment. A
 * webhook event may have connected the first payment with Stripe's id of the subscription, although the sale has the
 * advertiser's own id.
 */
export async function hasFirstPayment(
  db: Kysely<Schema>,
  { id: programId, workspaceId }: { readonly id: number; readonly workspaceId: number },
  customerId: number,
  subscriptionId: string,
): Promise<boolean> {
  const linked = await db
    .selectFrom('processor_refs')
    .select('sale_id')
    .where('workspace_id', '=', workspaceId)
    .where('ref', '=', subscriptionId)
    .where('program_id', '=', programId)
    .executeTakeFirst();
  const sale = await db
    .selectFrom('sales')
    .select('id')
    .where('program_id', '=', programId)
    .where('customer_id', '=', customerId)
    .where((eb) =>
      eb.or([
        eb('subscription_id', '=', subscriptionId),
        ...(linked === undefined ? [] : [eb('id', '=', linked.sale_id)]),
      ]),
    )
    .where('is_recurring', '=', 0)
    .where('is_test', '=', 0)
    .limit(1)
    .executeTakeFirst();
  return sale !== undefined;
}

/** Marks a sale as a renewal that was first reported without this information. */
export async function markAsRenewal(tx: Transaction, { programId, saleId }: SaleKey): Promise<void> {
  await tx.db
    .updateTable('sales')
    .set({ is_recurring: 1 })
    .where('program_id', '=', programId)
    .where('id', '=', saleId)
    .where('is_recurring', '=', 0)
    .execute();
}

/**
 * Stores the subscription of a sale and of the sale's commission, if any. A commission with another subscription than
 * the sale is not changed.
 */
export async function setSubscription(
  tx: Transaction,
  { program_id, id, subscription_id: before }: Pick<SaleRow, 'program_id' | 'id' | 'subscription_id'>,
  subscriptionId: string,
): Promise<void> {
  for (const [table, column] of [
    ['sales', 'id'],
    ['commissions', 'sale_id'],
  ] as const) {
    await tx.db
      .updateTable(table)
      .set({ subscription_id: subscriptionId })
      .where('program_id', '=', program_id)
      .where(column, '=', id)
      .where('subscription_id', before === null ? 'is' : '=', before)
      .execute();
  }
}

/** Stores the reason why a sale earns no commission, or null when it earns a commission. */
export async function setNoCommissionReason(
  tx: Transaction,
  programId: number,
  saleId: number,
  reason: NoCommissionReason | null,
): Promise<void> {
  await tx.db
    .updateTable('sales')
    .set({ no_commission_reason: reason })
    .where('program_id', '=', programId)
    .where('id', '=', saleId)
    .execute();
}
