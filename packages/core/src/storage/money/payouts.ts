import { type Kysely, type Selectable, sql } from 'kysely';
import type { PayoutStatus } from '../../domain/payout-status.ts';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import { type LedgerSubject, movePayout } from './ledger.ts';

export type PayoutRow = Selectable<Schema['payouts']>;

/** The key of a payout: its tenant and its id. */
export type PayoutKey = Pick<PayoutRow, 'program_id' | 'id'>;

/** Adds an empty pending payout. */
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

/** The program's payout of that id, locked until the work ends. Its commissions are locked before it. */
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

/** Puts into the payout all that its partner may be paid at that time, in its currency. */
export async function takeCommissions(tx: Transaction, payout: PayoutRow, at: number): Promise<void> {
  const eligible = sql<boolean>`program_id = ${payout.program_id} AND partner_id = ${payout.partner_id}
    AND currency = ${payout.currency} AND payout_id IS NULL AND rejected_at IS NULL AND paid_at IS NULL
    AND (approved_at IS NOT NULL OR releasable_at <= ${at})`;
  await lockInOrder(tx, eligible);
  await tx.db.updateTable('commissions').set({ payout_id: payout.id }).where(eligible).execute();
}

/** Locks the payout's commissions until the work ends. */
export async function lockCommissionsOf(tx: Transaction, programId: number, payoutId: number): Promise<void> {
  await lockInOrder(tx, sql<boolean>`program_id = ${programId} AND payout_id = ${payoutId}`);
}

/** By id, as everybody does, so that two works never wait for each other. */
async function lockInOrder(tx: Transaction, which: ReturnType<typeof sql<boolean>>): Promise<void> {
  if (tx.dialect === 'sqlite') return;
  await sql`SELECT count(*) FROM (SELECT id FROM commissions WHERE ${which} ORDER BY id FOR NO KEY UPDATE) AS mine`.execute(
    tx.db,
  );
}

/** The payout's commissions are paid; what refunds have closed keeps its status. */
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

/** The payout's commissions are free for another. */
export async function freeCommissions(tx: Transaction, payout: PayoutKey): Promise<void> {
  await tx.db
    .updateTable('commissions')
    .set({ payout_id: null })
    .where('program_id', '=', payout.program_id)
    .where('payout_id', '=', payout.id)
    .execute();
}

/**
 * Gives back what a commission loses while it is in a pending payout, at most what is left of that payout. To be
 * called before the loss is booked, with the commission locked.
 */
export async function lowerPayout(
  tx: Transaction,
  commission: { readonly payout_id: number | null; readonly paid_at: number | null },
  subject: LedgerSubject,
  lossCents: number,
): Promise<void> {
  if (commission.payout_id === null || commission.paid_at !== null) return;
  const payout = await lockPayout(tx, subject.programId, commission.payout_id);
  if (payout?.status !== 'pending') return;
  const backCents = Math.min(lossCents, payout.amount_cents);
  await updatePayout(tx, payout, { amount_cents: payout.amount_cents - backCents });
  await movePayout(tx, { ...subject, payoutId: payout.id }, 'give_back', backCents);
}

/** A payout with whom it pays and for how many commissions. */
export type PayoutView = PayoutRow & {
  readonly partner_name: string;
  readonly partner_email: string;
  readonly commissions: number;
};

/** Which payouts a list covers; null is any. */
export interface PayoutFilter {
  readonly status: PayoutStatus | null;
  readonly partnerId: number | null;
}

export async function findPayout(
  db: Kysely<Schema>,
  programId: number,
  id: number,
): Promise<PayoutView | null> {
  const row = await withPartner(selectPayouts(db, programId)).where('payouts.id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** One page of a program's payouts, newest first. */
export async function listPayouts(
  db: Kysely<Schema>,
  programId: number,
  filter: PayoutFilter,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ payouts: PayoutView[]; total: number }> {
  const selected = filtered(selectPayouts(db, programId), filter);
  const { total } = await selected
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const payouts = await withPartner(selected)
    .orderBy('payouts.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { payouts, total };
}

/** The next payouts, newest first, below the id of the last one seen (null from the newest on). */
export async function listPayoutsBelow(
  db: Kysely<Schema>,
  programId: number,
  filter: PayoutFilter,
  lastId: number | null,
  limit: number,
): Promise<PayoutView[]> {
  return await withPartner(filtered(selectPayouts(db, programId), filter))
    .$if(lastId !== null, (query) => query.where('payouts.id', '<', lastId ?? 0))
    .orderBy('payouts.id', 'desc')
    .limit(limit)
    .execute();
}

function selectPayouts(db: Kysely<Schema>, programId: number) {
  return db.selectFrom('payouts').where('payouts.program_id', '=', programId);
}

type Selected = ReturnType<typeof selectPayouts>;

function filtered(selected: Selected, { status, partnerId }: PayoutFilter): Selected {
  return selected
    .$if(status !== null, (query) => query.where('payouts.status', '=', status ?? 'pending'))
    .$if(partnerId !== null, (query) => query.where('payouts.partner_id', '=', partnerId ?? 0));
}

function withPartner(selected: Selected) {
  return selected
    .innerJoin('partners', 'partners.id', 'payouts.partner_id')
    .selectAll('payouts')
    .select((eb) => [
      'partners.name as partner_name',
      'partners.email as partner_email',
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
