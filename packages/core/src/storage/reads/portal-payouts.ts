import { type Kysely, sql } from 'kysely';
import type { PayoutStatus } from '../../domain/payout-status.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import type { PayoutRow } from '../money/payouts.ts';

/** A payout and the number of its commissions, without partner data. */
export type PortalPayout = PayoutRow & { readonly commissions: number };

/** Lists a page of the partners' payouts in the programs. The latest payout comes first. */
export async function listPortalPayouts(
  db: Kysely<Schema>,
  selection: { readonly programIds: readonly number[]; readonly partnerIds: readonly number[] },
  status: PayoutStatus | null,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ payouts: PortalPayout[]; total: number }> {
  const selected = db
    .selectFrom('payouts')
    .where('program_id', 'in', idList(selection.programIds))
    .where('partner_id', 'in', idList(selection.partnerIds))
    .$if(status !== null, (query) => query.where('status', '=', status ?? 'pending'));
  const { total } = await selected
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const payouts = await selected
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
