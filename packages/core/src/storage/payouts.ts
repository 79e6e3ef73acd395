import type { Kysely, Selectable } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import { type LedgerSubject, movePayout } from './ledger.ts';
import type { Schema } from './schema.ts';
import { readWithheld } from './standing.ts';

export type PayoutRow = Selectable<Schema['payouts']>;

/** Whose payout it is. */
export interface PayoutTarget {
  readonly programId: number;
  readonly partnerId: number;
  readonly currency: string;
}

/** Keeps other payouts from being made for the partner in the program until the work ends. */
export async function holdEnrolment(tx: Transaction, programId: number, partnerId: number): Promise<void> {
  if (tx.dialect !== 'postgres') return;
  await tx.db
    .selectFrom('partner_programs')
    .select('id')
    .where('program_id', '=', programId)
    .where('partner_id', '=', partnerId)
    .forNoKeyUpdate()
    .execute();
}

/** Adds an empty payout and puts into it every commission of the partner that is payable. @returns its id */
export async function openPayout(tx: Transaction, target: PayoutTarget, now: number): Promise<number> {
  const { id } = await tx.db
    .insertInto('payouts')
    .values({
      program_id: target.programId,
      partner_id: target.partnerId,
      currency: target.currency,
      status: 'pending',
      amount_cents: 0,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await tx.db
    .updateTable('commissions')
    .set({ payout_id: id })
    .where('program_id', '=', target.programId)
    .where('partner_id', '=', target.partnerId)
    .where('currency', '=', target.currency)
    .where('payout_id', 'is', null)
    .where('rejected_at', 'is', null)
    .where((eb) => eb.or([eb('approved_at', 'is not', null), eb('releasable_at', '<=', now)]))
    .execute();
  return id;
}

/** Undoes `openPayout`, within the work that called it. */
export async function dropPayout(tx: Transaction, programId: number, payoutId: number): Promise<void> {
  await freeCommissions(tx, programId, payoutId);
  await tx.db.deleteFrom('payouts').where('program_id', '=', programId).where('id', '=', payoutId).execute();
}

/**
 * How the partner stands once its payable commissions are in a payout, its balance locked until the work ends: all
 * that moves it waits, so that the sums belong together.
 */
export async function lockStanding(tx: Transaction, target: PayoutTarget) {
  const balance = await tx.db
    .selectFrom('balances')
    .select('balance_cents')
    .where('program_id', '=', target.programId)
    .where('partner_id', '=', target.partnerId)
    .where('currency', '=', target.currency)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  const kept = await readWithheld(tx.db, target.programId, [target.partnerId], null);
  const mine = kept.find((row) => row.currency === target.currency);
  return {
    balanceCents: balance?.balance_cents ?? 0,
    pendingCents: mine?.pendingCents ?? 0,
    withheldCents: mine?.withheldCents ?? 0,
  };
}

/** The program's payout of that id, locked until the work ends, after the commissions in it. */
export async function lockPayout(
  tx: Transaction,
  programId: number,
  payoutId: number,
): Promise<PayoutRow | null> {
  if (tx.dialect === 'postgres') {
    await tx.db
      .selectFrom('commissions')
      .select('id')
      .where('program_id', '=', programId)
      .where('payout_id', '=', payoutId)
      .orderBy('id')
      .forUpdate()
      .execute();
  }
  return await lockPayoutAlone(tx, programId, payoutId);
}

export async function updatePayout(
  tx: Transaction,
  payout: Pick<PayoutRow, 'program_id' | 'id'>,
  change: Partial<Omit<PayoutRow, 'program_id' | 'id'>>,
): Promise<void> {
  await tx.db
    .updateTable('payouts')
    .set(change)
    .where('program_id', '=', payout.program_id)
    .where('id', '=', payout.id)
    .execute();
}

/** Notes the payment on each commission of the payout; a terminal status stays. */
export async function markCommissionsPaid(
  tx: Transaction,
  payout: Pick<PayoutRow, 'program_id' | 'id'>,
  at: number,
): Promise<void> {
  const mine = tx.db
    .updateTable('commissions')
    .where('program_id', '=', payout.program_id)
    .where('payout_id', '=', payout.id);
  await mine.set({ paid_at: at }).execute();
  await mine.set({ status: 'paid' }).where('status', 'in', ['pending', 'approved']).execute();
}

/** Takes the commissions of a payout out of it again. */
export async function freeCommissions(tx: Transaction, programId: number, payoutId: number): Promise<void> {
  await tx.db
    .updateTable('commissions')
    .set({ payout_id: null })
    .where('program_id', '=', programId)
    .where('payout_id', '=', payoutId)
    .execute();
}

/**
 * Gives back what a pending payout no longer has to pay, at most what it holds: to be called after the lock on the
 * commission and before its balances move.
 */
export async function lowerPayout(
  tx: Transaction,
  subject: LedgerSubject & { readonly payoutId: number },
  cents: number,
): Promise<void> {
  const payout = await lockPayoutAlone(tx, subject.programId, subject.payoutId);
  if (payout?.status !== 'pending') return;
  const loweredCents = Math.min(cents, payout.amount_cents);
  if (loweredCents === 0) return;
  await updatePayout(tx, payout, { amount_cents: payout.amount_cents - loweredCents });
  await movePayout(tx, subject, 'give_back', loweredCents);
}

/** Who may have something to be paid, in which currencies: those whose balance is positive. */
export async function listPayoutCandidates(
  db: Kysely<Schema>,
  programId: number,
  partnerIds: readonly number[] | null,
): Promise<{ partnerId: number; currency: string }[]> {
  return await db
    .selectFrom('balances')
    .innerJoin('partner_programs', (join) =>
      join
        .onRef('partner_programs.program_id', '=', 'balances.program_id')
        .onRef('partner_programs.partner_id', '=', 'balances.partner_id'),
    )
    .select(['balances.partner_id as partnerId', 'balances.currency'])
    .where('balances.program_id', '=', programId)
    .where('balances.balance_cents', '>', 0)
    .$if(partnerIds === null, (query) => query.where('partner_programs.status', '=', 'approved'))
    .$if(partnerIds !== null, (query) => query.where('balances.partner_id', 'in', [0, ...(partnerIds ?? [])]))
    .orderBy('balances.partner_id')
    .orderBy('balances.currency')
    .execute();
}

async function lockPayoutAlone(
  tx: Transaction,
  programId: number,
  payoutId: number,
): Promise<PayoutRow | null> {
  const row = await tx.db
    .selectFrom('payouts')
    .selectAll()
    .where('program_id', '=', programId)
    .where('id', '=', payoutId)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}
