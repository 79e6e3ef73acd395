import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';

/** A partner's balance in a program and currency, and the part that a payout can take now. */
export interface PayableBalance {
  readonly partnerId: number;
  readonly currency: string;
  readonly balanceCents: number;
  /**
   * Negative when clawbacks exceed the payable commissions; commissions on hold then have to cover the rest.
   */
  readonly payableCents: number;
}

/** Filters the balances by partner (null means all) and by currency. */
export interface BalanceSelection {
  readonly programId: number;
  readonly partnerIds: readonly number[] | null;
  readonly currency?: string;
}

/**
 * Computes what a payout can take, from one snapshot: the balance minus pending payouts and minus unpaid
 * commissions that the payout does not include. The balance already contains clawbacks and adjustments.
 * @param holdAt excludes commissions that are on hold or disputed at this time. Null excludes all commissions
 * without a payout, for callers that have just assigned the payable commissions to a payout.
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
      eb.fn.coalesce(sumPendingPayouts(eb), sql<number>`0`).as('in_payouts'),
      eb.fn.coalesce(sumExcluded(eb, holdAt), sql<number>`0`).as('excluded'),
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
    payableCents: row.balance_cents - row.in_payouts - row.excluded,
  }));
}

type BalanceExpression = ExpressionBuilder<Schema, 'balances'>;

function sumPendingPayouts(eb: BalanceExpression) {
  return (
    eb
      .selectFrom('payouts')
      .select((of) => of.fn.sum<number>('payouts.amount_cents').as('cents'))
      .whereRef('payouts.program_id', '=', 'balances.program_id')
      .whereRef('payouts.partner_id', '=', 'balances.partner_id')
      .whereRef('payouts.currency', '=', 'balances.currency')
      // A literal, because a parameter would prevent the use of a partial index.
      .where('payouts.status', '=', sql.lit('pending'))
  );
}

function sumExcluded(eb: BalanceExpression, holdAt: number | null) {
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
      query.where((of) =>
        of.or([
          of('c.disputed', '=', 1),
          of.and([
            of('c.approved_at', 'is', null),
            of.or([of('c.releasable_at', '>', holdAt ?? 0), of('c.needs_approval', '=', 1)]),
          ]),
        ]),
      ),
    );
}
