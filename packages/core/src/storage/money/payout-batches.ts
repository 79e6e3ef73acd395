import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import { insertRows } from '../database/rows.ts';
import type { Schema } from '../database/schema.ts';
import type { PartnerProgramStatus } from '../database/schema-programs.ts';

type PayoutRow = Selectable<Schema['payouts']>;
export type PayoutBatchRow = Selectable<Schema['payout_batches']>;
export type PayoutBatchItemRow = Selectable<Schema['payout_batch_items']>;

/** A payout that may be sent, with the data of its partner. */
export interface SendablePayout extends PayoutRow {
  readonly partner_name: string;
  readonly partner_status: PartnerProgramStatus;
  readonly partner_min_cents: number | null;
  readonly sealed_details: string | null;
}

/** Lists a page of the pending payouts in a currency that are not in a batch, in the order of their ids. */
export async function listPendingPayouts(
  db: Kysely<Schema>,
  programId: number,
  currency: string,
  { afterId, limit }: { readonly afterId: number; readonly limit: number },
): Promise<Pick<PayoutRow, 'id' | 'partner_id'>[]> {
  return await db
    .selectFrom('payouts')
    .select(['id', 'partner_id'])
    .where('program_id', '=', programId)
    .where('id', '>', afterId)
    .where('status', '=', 'pending')
    .where('batch_id', 'is', null)
    .where('currency', '=', currency)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Loads payouts with the details of their partners, in the order of their ids. */
export async function listSendablePayouts(
  db: Kysely<Schema>,
  programId: number,
  payoutIds: readonly number[],
): Promise<SendablePayout[]> {
  return await selectSendable(db, programId, payoutIds).execute();
}

/** Loads payouts like `listSendablePayouts`, and locks them until the transaction ends. */
export async function lockSendablePayouts(
  tx: Transaction,
  programId: number,
  payoutIds: readonly number[],
): Promise<SendablePayout[]> {
  return await selectSendable(tx.db, programId, payoutIds)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate('payouts'))
    .execute();
}

function selectSendable(db: Kysely<Schema>, programId: number, payoutIds: readonly number[]) {
  return db
    .selectFrom('payouts')
    .innerJoin('partners', 'partners.id', 'payouts.partner_id')
    .innerJoin('partner_programs', (join) =>
      join
        .onRef('partner_programs.program_id', '=', 'payouts.program_id')
        .onRef('partner_programs.partner_id', '=', 'payouts.partner_id'),
    )
    .leftJoin('payout_details', 'payout_details.partner_id', 'payouts.partner_id')
    .selectAll('payouts')
    .select([
      'partners.name as partner_name',
      'partner_programs.status as partner_status',
      'partner_programs.min_payout_cents as partner_min_cents',
      'payout_details.sealed as sealed_details',
    ])
    .where('payouts.program_id', '=', programId)
    .where('payouts.id', 'in', idList(payoutIds))
    .orderBy('payouts.id');
}

/** Adds a batch with its items, and assigns the items' payouts to the batch. The payouts must be locked. */
export async function insertPayoutBatch(
  tx: Transaction,
  batch: Omit<PayoutBatchRow, 'id' | 'closed_at' | 'downloaded_at' | 'cancelled_at'>,
  items: readonly Pick<
    PayoutBatchItemRow,
    'payout_id' | 'partner_id' | 'partner_name' | 'amount_cents' | 'sealed_details'
  >[],
): Promise<PayoutBatchRow> {
  const row = await tx.db
    .insertInto('payout_batches')
    .values({ ...batch, closed_at: null, downloaded_at: null, cancelled_at: null })
    .returningAll()
    .executeTakeFirstOrThrow();
  const key = { program_id: row.program_id, batch_id: row.id };
  await insertRows(
    tx,
    'payout_batch_items',
    items.map((item) => ({ ...key, ...item, status: 'sent' })),
  );
  await tx.db
    .updateTable('payouts')
    .set({ batch_id: row.id })
    .where('program_id', '=', row.program_id)
    .where('id', 'in', idList(items.map(({ payout_id }) => payout_id)))
    .execute();
  return row;
}

/**
 * Finds a batch and locks its row until the transaction ends. A transaction that also changes items of the batch must
 * change the items first, as `closeBatchItem` does. The common order prevents deadlocks.
 */
export async function lockPayoutBatch(
  tx: Transaction,
  programId: number,
  id: number,
): Promise<PayoutBatchRow | null> {
  const row = await tx.db
    .selectFrom('payout_batches')
    .selectAll()
    .where('program_id', '=', programId)
    .where('id', '=', id)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}

export async function updatePayoutBatch(
  tx: Transaction,
  batch: Pick<PayoutBatchRow, 'program_id' | 'id'>,
  change: Partial<Pick<PayoutBatchRow, 'downloaded_at' | 'cancelled_at'>>,
): Promise<void> {
  await tx.db
    .updateTable('payout_batches')
    .set(change)
    .where('program_id', '=', batch.program_id)
    .where('id', '=', batch.id)
    .execute();
}

const BATCH_COUNTS = ['payouts', 'sent', 'paid', 'failed', 'cancelled', 'unsent', 'unclear'] as const;

/** A batch, with sums over its items. `unsent` counts the payouts that have certainly not been sent. */
export type PayoutBatchView = PayoutBatchRow & { readonly amount_cents: number } & Readonly<
    Record<(typeof BATCH_COUNTS)[number], number>
  >;

export async function findPayoutBatch(
  db: Kysely<Schema>,
  programId: number,
  id: number,
): Promise<PayoutBatchView | null> {
  const [row] = await selectBatches(db, programId).where('payout_batches.id', '=', id).execute();
  return row ? toBatchView(row) : null;
}

/** Whether the batch was cancelled. Unlike `findPayoutBatch`, this does not read the items of the batch. */
export async function isBatchCancelled(db: Kysely<Schema>, programId: number, id: number): Promise<boolean> {
  const row = await db
    .selectFrom('payout_batches')
    .select('cancelled_at')
    .where('program_id', '=', programId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined && row.cancelled_at !== null;
}

/** Lists a page of the program's batches, newest first. */
export async function listPayoutBatches(
  db: Kysely<Schema>,
  programId: number,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ batches: PayoutBatchView[]; total: number }> {
  const { total } = await db
    .selectFrom('payout_batches')
    .where('program_id', '=', programId)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await selectBatches(db, programId)
    .orderBy('payout_batches.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { batches: rows.map(toBatchView), total };
}

function selectBatches(db: Kysely<Schema>, programId: number) {
  const countIf = (condition: RawBuilder<boolean>) =>
    sql<number>`SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END)`;
  const count = (status: PayoutBatchItemRow['status']) =>
    countIf(sql<boolean>`payout_batch_items.status = ${status}`);
  return db
    .selectFrom('payout_batches')
    .innerJoin('payout_batch_items', (join) =>
      join
        .onRef('payout_batch_items.program_id', '=', 'payout_batches.program_id')
        .onRef('payout_batch_items.batch_id', '=', 'payout_batches.id'),
    )
    .leftJoin('payout_transfers', (join) =>
      join
        .onRef('payout_transfers.program_id', '=', 'payout_batch_items.program_id')
        .onRef('payout_transfers.batch_id', '=', 'payout_batch_items.batch_id')
        .onRef('payout_transfers.payout_id', '=', 'payout_batch_items.payout_id'),
    )
    .selectAll('payout_batches')
    .select((eb) => [
      eb.fn.countAll<number>().as('payouts'),
      sql<number>`SUM(payout_batch_items.amount_cents)`.as('amount_cents'),
      count('sent').as('sent'),
      count('paid').as('paid'),
      count('failed').as('failed'),
      count('cancelled').as('cancelled'),
      // Payouts in a batch with a file have no transfer. They may have been sent if the file was downloaded.
      countIf(sql<boolean>`payout_batch_items.status = 'sent' AND (payout_transfers.state = 'queued'
        OR payout_transfers.state IS NULL AND payout_batches.downloaded_at IS NULL)`).as('unsent'),
      countIf(sql<boolean>`payout_transfers.state = 'unclear'`).as('unclear'),
    ])
    .where('payout_batches.program_id', '=', programId)
    .groupBy(['payout_batches.program_id', 'payout_batches.id']);
}

function toBatchView(row: PayoutBatchView): PayoutBatchView {
  // Postgres returns sums as strings.
  const counts = Object.fromEntries(BATCH_COUNTS.map((name) => [name, Number(row[name])]));
  return { ...row, ...counts, amount_cents: Number(row.amount_cents) };
}

/** Counts the payouts that failed in this batch, are pending again, and are not in another batch yet. */
export async function countReleasedPayouts(
  db: Kysely<Schema>,
  programId: number,
  batchId: number,
): Promise<number> {
  const { total } = await db
    .selectFrom('payout_batch_items')
    .innerJoin('payouts', (join) =>
      join
        .onRef('payouts.program_id', '=', 'payout_batch_items.program_id')
        .onRef('payouts.id', '=', 'payout_batch_items.payout_id'),
    )
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('payout_batch_items.program_id', '=', programId)
    .where('payout_batch_items.batch_id', '=', batchId)
    .where('payout_batch_items.status', '=', 'failed')
    .where('payouts.status', '=', 'pending')
    .where('payouts.batch_id', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** Lists the items of a batch in the order of their payouts. */
export async function listBatchItems(
  db: Kysely<Schema>,
  programId: number,
  batchId: number,
): Promise<PayoutBatchItemRow[]> {
  return await db
    .selectFrom('payout_batch_items')
    .selectAll()
    .where('program_id', '=', programId)
    .where('batch_id', '=', batchId)
    .orderBy('payout_id')
    .execute();
}

/** Finds an item of a batch. To change the item, lock its payout first. */
export async function findBatchItem(
  db: Kysely<Schema>,
  programId: number,
  batchId: number,
  payoutId: number,
): Promise<PayoutBatchItemRow | null> {
  const row = await db
    .selectFrom('payout_batch_items')
    .selectAll()
    .where('program_id', '=', programId)
    .where('batch_id', '=', batchId)
    .where('payout_id', '=', payoutId)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Closes the item of a payout in an open batch, and the item's transfer. If no other item is open, also closes the
 * batch.
 */
export async function closeBatchItem(
  tx: Transaction,
  payout: Pick<PayoutRow, 'program_id' | 'id'> & { readonly batch_id: number },
  result: Pick<PayoutBatchItemRow, 'status' | 'reason' | 'reference'>,
  at: number,
): Promise<void> {
  const { program_id: programId, id, batch_id: batchId } = payout;
  await tx.db
    .updateTable('payout_batch_items')
    .set({ ...result, closed_at: at })
    .where('program_id', '=', programId)
    .where('batch_id', '=', batchId)
    .where('payout_id', '=', id)
    .execute();
  await tx.db
    .updateTable('payout_transfers')
    .set({ state: 'done', run_at: null, last_error: null })
    .where('program_id', '=', programId)
    .where('batch_id', '=', batchId)
    .where('payout_id', '=', id)
    .execute();
  await tx.db
    .updateTable('payout_batches')
    .set({ closed_at: at })
    .where('program_id', '=', programId)
    .where('id', '=', batchId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('payout_batch_items')
            .select('payout_id')
            .where('program_id', '=', programId)
            .where('batch_id', '=', batchId)
            .where('status', '=', 'sent'),
        ),
      ),
    )
    .execute();
}

/** Records a loss that will reduce the payout if its item fails. */
export async function withholdFromItem(
  tx: Transaction,
  payout: Pick<PayoutRow, 'program_id' | 'id'> & { readonly batch_id: number },
  cents: number,
): Promise<void> {
  await tx.db
    .updateTable('payout_batch_items')
    .set((eb) => ({ withheld_cents: eb('withheld_cents', '+', cents) }))
    .where('program_id', '=', payout.program_id)
    .where('batch_id', '=', payout.batch_id)
    .where('payout_id', '=', payout.id)
    .execute();
}
