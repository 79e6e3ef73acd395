import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';

/** What a partner is owed in a program in one currency, and the part of it that is free to be paid. */
export interface PayableBalance {
  readonly partnerId: number;
  readonly currency: string;
  readonly balanceCents: number;
  /** Negative where clawbacks exceed it, and what is on hold must make up for them. */
  readonly payableCents: number;
}

/** Whose balances: of these partners (null is all), in one currency or in each. */
export interface BalanceSelection {
  readonly programId: number;
  readonly partnerIds: readonly number[] | null;
  readonly currency?: string;
}

/**
 * What a payout takes, from one snapshot: the balance, which is net of clawbacks and corrections, less what pending
 * payouts hold and less the unpaid commissions that the payout leaves where they are: those on hold at the time
 * `holdAt`; with null all that are in no payout, for whoever has just put into one what it takes.
 */
export async function findPayable(
  db: Kysely<Schema>,
  { programId, partnerIds, currency }: BalanceSelection,
  holdAt: number | null,
): Promise<PayableBalance[]> {
  const rows = await db
    .selectFrom('balances')
    .select((eb) => [
      'partner_id',
      'currency',
      'balance_cents',
      eb.fn.coalesce(inPayouts(eb), sql<number>`0`).as('in_payouts'),
      eb.fn.coalesce(left(eb, holdAt), sql<number>`0`).as('left'),
    ])
    .where('program_id', '=', programId)
    .$if(partnerIds !== null, (query) => query.where('partner_id', 'in', idList(partnerIds ?? [])))
    .$if(currency !== undefined, (query) => query.where('currency', '=', currency ?? ''))
    .orderBy('partner_id')
    .orderBy('currency')
    .execute();
  return rows.map((row) => ({
    partnerId: row.partner_id,
    currency: row.currency,
    balanceCents: row.balance_cents,
    payableCents: row.balance_cents - row.in_payouts - row.left,
  }));
}

type OfBalance = ExpressionBuilder<Schema, 'balances'>;

function inPayouts(eb: OfBalance) {
  return (
    eb
      .selectFrom('payouts')
      .select((of) => of.fn.sum<number>('payouts.amount_cents').as('cents'))
      .whereRef('payouts.program_id', '=', 'balances.program_id')
      .whereRef('payouts.partner_id', '=', 'balances.partner_id')
      .whereRef('payouts.currency', '=', 'balances.currency')
      // Not as a parameter: a partial index serves only what is known to lie within it.
      .where('payouts.status', '=', sql.lit('pending'))
  );
}

function left(eb: OfBalance, holdAt: number | null) {
  return eb
    .selectFrom('commissions as c')
    .select((of) => of.fn.sum<number>(sql`c.amount_cents - c.deducted_cents + c.adjusted_cents`).as('cents'))
    .whereRef('c.program_id', '=', 'balances.program_id')
    .whereRef('c.partner_id', '=', 'balances.partner_id')
    .whereRef('c.currency', '=', 'balances.currency')
    .where('c.payout_id', 'is', null)
    .where('c.rejected_at', 'is', null)
    .where('c.paid_at', 'is', null)
    .$if(holdAt !== null, (query) =>
      query.where('c.approved_at', 'is', null).where('c.releasable_at', '>', holdAt ?? 0),
    );
}
