import { type Kysely, sql } from 'kysely';
import type { PayoutStatus } from '../../domain/payout-status.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import type { PayoutRow } from '../money/payouts.ts';

/** A payout without a word on its partner. */
export type PortalPayout = PayoutRow & { readonly commissions: number };

/** One page of the partners' payouts in those programs, the last made first. */
export async function listPortalPayouts(
  db: Kysely<Schema>,
  selection: { readonly programIds: readonly number[]; readonly partnerIds: readonly number[] },
  status: PayoutStatus | null,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ payouts: PortalPayout[]; total: number }> {
  const mine = db
    .selectFrom('payouts')
    .where('program_id', 'in', idList(selection.programIds))
    .where('partner_id', 'in', idList(selection.partnerIds))
    .$if(status !== null, (query) => query.where('status', '=', status ?? 'pending'));
  const { total } = await mine.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const payouts = await mine
    .selectAll()
    .select(
      sql<number>`(SELECT COUNT(*) FROM commissions
        WHERE commissions.program_id = payouts.program_id AND commissions.payout_id = payouts.id)`.as(
        'commissions',
      ),
    )
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { payouts, total };
}
