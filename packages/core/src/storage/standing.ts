import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

/** The part of a partner's balance that a payout would leave alone. */
export interface Withheld {
  readonly partnerId: number;
  readonly currency: string;
  /** In pending payouts. */
  readonly pendingCents: number;
  /** Left of unpaid commissions in no payout that are not payable. */
  readonly withheldCents: number;
}

/**
 * @param now the instant by which a hold has passed; null = count every unpaid commission that is in no payout
 */
export async function readWithheld(
  db: Kysely<Schema>,
  programId: number,
  partnerIds: readonly number[],
  now: number | null,
): Promise<Withheld[]> {
  const commissions = await db
    .selectFrom('commissions')
    .select(['partner_id as partnerId', 'currency'])
    .select(sql<number>`SUM(amount_cents - deducted_cents + adjusted_cents)`.as('withheldCents'))
    .where('program_id', '=', programId)
    .where('partner_id', 'in', [0, ...partnerIds])
    .where('payout_id', 'is', null)
    .where('rejected_at', 'is', null)
    .$if(now !== null, (query) =>
      query.where('approved_at', 'is', null).where('releasable_at', '>', now ?? 0),
    )
    .groupBy(['partner_id', 'currency'])
    .execute();
  const payouts = await db
    .selectFrom('payouts')
    .select((eb) => [
      'partner_id as partnerId',
      'currency',
      eb.fn.sum<number>('amount_cents').as('pendingCents'),
    ])
    .where('program_id', '=', programId)
    .where('partner_id', 'in', [0, ...partnerIds])
    .where('status', '=', 'pending')
    .groupBy(['partner_id', 'currency'])
    .execute();
  const sums = new Map<string, Withheld>();
  for (const row of commissions) sums.set(`${row.partnerId} ${row.currency}`, { ...row, pendingCents: 0 });
  for (const row of payouts) {
    const key = `${row.partnerId} ${row.currency}`;
    sums.set(key, { withheldCents: 0, ...sums.get(key), ...row });
  }
  return [...sums.values()];
}
