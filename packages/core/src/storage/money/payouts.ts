import { type Kysely, type Selectable, sql } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import type { CommissionRow } from './commissions.ts';
import { type LedgerSubject, postPayoutStep } from './ledger.ts';
import { withholdFromItem } from './payout-batches.ts';

export type PayoutRow = Selectable<Schema['payouts']>;

export type PayoutKey = Pick<PayoutRow, 'program_id' | 'id'>;

/** Stores an empty pending payout. */
export async function insertPayout(
  tx: Transaction,
  payout: Pick<PayoutRow, 'program_id' | 'partner_id' | 'currency' | 'created_at'>,
): Promise<PayoutRow> {
  return await tx.db
    .insertInto('payouts')
    .values({
      ...payout,
      status: 'pending',
      amount_cents: 0,
      reference: null,
      chain_position: null,
      chain_hash: null,
      paid_at: null,
      cancelled_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Finds the partner's first paid payout with this currency and reference. Locks its row until the transaction ends. */
export async function findPaidPayout(
  tx: Transaction,
  {
    program_id,
    partner_id,
    currency,
    reference,
  }: Pick<PayoutRow, 'program_id' | 'partner_id' | 'currency' | 'reference'>,
): Promise<PayoutRow | null> {
  const row = await tx.db
    .selectFrom('payouts')
    .selectAll()
    .where('program_id', '=', program_id)
    .where('partner_id', '=', partner_id)
    .where('currency', '=', currency)
    .where('status', '=', 'paid')
    .where('reference', '=', reference)
    .orderBy('id')
    .limit(1)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}

export async function updatePayout(
  tx: Transaction,
  payout: PayoutKey,
  change: Partial<Omit<PayoutRow, 'program_id' | 'id'>>,
): Promise<void> {
  await tx.db
    .updateTable('payouts')
    .set(change)
    .where('program_id', '=', payout.program_id)
    .where('id', '=', payout.id)
    .execute();
}

/**
 * Finds a payout and locks its row until the transaction ends. Callers must lock the payout's commissions
 * first.
 */
export async function lockPayout(tx: Transaction, programId: number, id: number): Promise<PayoutRow | null> {
  const row = await tx.db
    .selectFrom('payouts')
    .selectAll()
    .where('program_id', '=', programId)
    .where('id', '=', id)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}

/** Assigns to the payout all commissions of its partner and currency that are payable at the time `at`. */
export async function assignCommissions(tx: Transaction, payout: PayoutRow, at: number): Promise<void> {
  const eligible = sql<boolean>`program_id = ${payout.program_id} AND partner_id = ${payout.partner_id}
    AND currency = ${payout.currency} AND payout_id IS NULL AND rejected_at IS NULL AND paid_at IS NULL AND disputed = 0
    AND (approved_at IS NOT NULL OR (releasable_at <= ${at} AND needs_approval = 0))`;
  await lockInOrder(tx, eligible);
  await tx.db.updateTable('commissions').set({ payout_id: payout.id }).where(eligible).execute();
}

/** Locks the commissions of the payout until the transaction ends. */
export async function lockCommissionsOfPayout(
  tx: Transaction,
  programId: number,
  payoutId: number,
): Promise<void> {
  await lockInOrder(tx, sql<boolean>`program_id = ${programId} AND payout_id = ${payoutId}`);
}

/** Lists the disputed commissions of the payout. */
export async function listDisputedOfPayout(
  db: Kysely<Schema>,
  programId: number,
  payoutId: number,
): Promise<CommissionRow[]> {
  return await db
    .selectFrom('commissions')
    .selectAll()
    .where('program_id', '=', programId)
    .where('payout_id', '=', payoutId)
    .where('disputed', '=', 1)
    .execute();
}

/**
 * Locks commissions in the order of their ids. All transactions use this order, so that they cannot deadlock.
 */
async function lockInOrder(tx: Transaction, condition: ReturnType<typeof sql<boolean>>): Promise<void> {
  if (tx.dialect === 'sqlite') return;
  await sql`SELECT count(*) FROM (SELECT id FROM commissions WHERE ${condition} ORDER BY id FOR NO KEY UPDATE) AS locked`.execute(
    tx.db,
  );
}

/** Lists the payout's commissions that are still pending although their hold has ended. */
export async function listPendingOfPayout(tx: Transaction, payout: PayoutKey): Promise<CommissionRow[]> {
  return await tx.db
    .selectFrom('commissions')
    .selectAll()
    .where('program_id', '=', payout.program_id)
    .where('payout_id', '=', payout.id)
    .where('status', '=', sql.lit('pending'))
    .orderBy('id')
    .execute();
}

/** Marks the commissions of the payout as paid. Reversed and refunded commissions keep their status. */
export async function payCommissions(tx: Transaction, payout: PayoutKey, at: number): Promise<void> {
  await tx.db
    .updateTable('commissions')
    .set({
      paid_at: at,
      status: sql`CASE WHEN status IN ('pending', 'approved') THEN 'paid' ELSE status END`,
    })
    .where('program_id', '=', payout.program_id)
    .where('payout_id', '=', payout.id)
    .execute();
}

/**
 * Removes the commissions from the payout, so that another payout can include them. The trace still shows
 * that they were in the payout.
 */
export async function releaseCommissions(tx: Transaction, payout: PayoutKey): Promise<void> {
  await tx.db
    .insertInto('cancelled_payout_commissions')
    .columns(['program_id', 'commission_id', 'payout_id'])
    .expression((eb) =>
      eb
        .selectFrom('commissions')
        .select(['program_id', 'id', 'payout_id'])
        .where('program_id', '=', payout.program_id)
        .where('payout_id', '=', payout.id),
    )
    .execute();
  await tx.db
    .updateTable('commissions')
    .set({ payout_id: null })
    .where('program_id', '=', payout.program_id)
    .where('payout_id', '=', payout.id)
    .execute();
}

/**
 * Subtracts the loss of a commission, such as a refund, from the pending payout that contains the commission. The
 * payout does not fall below zero. Does nothing if the commission is not in a pending payout. Lock the commission
 * first, and post the loss to the ledger afterwards.
 *
 * A payout in an open batch keeps its amount, because the batch may already be paid. The loss is then a
 * clawback. It reduces the payout only if the payout's item in the batch fails or is cancelled.
 * @returns whether the loss is a clawback
 */
export async function reducePayout(
  tx: Transaction,
  commission: { readonly payout_id: number | null; readonly paid_at: number | null },
  subject: LedgerSubject,
  lossCents: number,
): Promise<boolean> {
  if (commission.payout_id === null || commission.paid_at !== null) return false;
  const payout = await lockPayout(tx, subject.programId, commission.payout_id);
  if (payout?.status !== 'pending') return false;
  if (payout.batch_id !== null) {
    await withholdFromItem(tx, { ...payout, batch_id: payout.batch_id }, lossCents);
    return true;
  }
  await reduceLockedPayout(tx, payout, subject, lossCents);
  return false;
}

/** Reduces a pending payout, but not below zero. The payout must be locked. */
export async function reduceLockedPayout(
  tx: Transaction,
  payout: PayoutRow,
  subject: LedgerSubject,
  lossCents: number,
): Promise<void> {
  const reductionCents = Math.min(lossCents, payout.amount_cents);
  await updatePayout(tx, payout, { amount_cents: payout.amount_cents - reductionCents });
  await postPayoutStep(tx, { ...subject, payoutId: payout.id }, 'release', reductionCents);
}

/** A payout with its partner, the time when the payout details last changed, and the number of commissions. */
export type PayoutView = PayoutRow & {
  readonly partner_name: string;
  readonly partner_email: string;
  readonly details_changed_at: number | null;
  readonly commissions: number;
};

export async function findPayout(
  db: Kysely<Schema>,
  programId: number,
  id: number,
): Promise<PayoutView | null> {
  const row = await withPartner(selectPayouts(db, programId)).where('payouts.id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** Loads payouts in the order of `ids`. */
export async function findPayouts(
  db: Kysely<Schema>,
  programId: number,
  ids: readonly number[],
): Promise<PayoutView[]> {
  const rows = await withPartner(selectPayouts(db, programId))
    .where('payouts.id', 'in', idList(ids))
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function selectPayouts(db: Kysely<Schema>, programId: number) {
  return db.selectFrom('payouts').where('payouts.program_id', '=', programId);
}

type SelectedPayouts = ReturnType<typeof selectPayouts>;

function withPartner(selected: SelectedPayouts) {
  return selected
    .innerJoin('partners', 'partners.id', 'payouts.partner_id')
    .leftJoin('payout_details', 'payout_details.partner_id', 'payouts.partner_id')
    .selectAll('payouts')
    .select((eb) => [
      'partners.name as partner_name',
      'partners.email as partner_email',
      'payout_details.updated_at as details_changed_at',
      eb.fn
        .coalesce(
          eb
            .selectFrom('commissions')
            .select((of) => of.fn.countAll<number>().as('total'))
            .whereRef('commissions.program_id', '=', 'payouts.program_id')
            .whereRef('commissions.payout_id', '=', 'payouts.id'),
          sql<number>`0`,
        )
        .as('commissions'),
    ]);
}
