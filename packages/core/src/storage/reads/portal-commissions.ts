import type { Kysely, Selectable } from 'kysely';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import { type CommissionFilter, selectCommissions } from './commission-filter.ts';

const PORTAL_COMMISSION_COLUMNS = [
  'commissions.program_id',
  'commissions.id',
  'commissions.partner_id',
  'commissions.status',
  'commissions.amount_cents',
  'commissions.deducted_cents',
  'commissions.adjusted_cents',
  'commissions.currency',
  'commissions.refund_reason',
  'commissions.commission_at',
  'commissions.releasable_at',
  'commissions.needs_approval',
  'commissions.disputed',
  'commissions.approved_at',
  'commissions.rejected_at',
  'commissions.payout_id',
  'commissions.paid_at',
] as const;

type WithoutTable<T> = T extends `commissions.${infer Column}` ? Column : never;

/** The state of a commission, without data of its sale and customer. */
export type CommissionState = Pick<
  Selectable<Schema['commissions']>,
  WithoutTable<(typeof PORTAL_COMMISSION_COLUMNS)[number]>
>;

/**
 * Lists a page of the partners' commissions in the programs. The latest commission comes first. The page and
 * the total are read with the index by partner, so the cost does not depend on the commissions of other
 * partners.
 */
export async function listPortalCommissions(
  db: Kysely<Schema>,
  selection: { readonly programIds: readonly number[]; readonly partnerIds: readonly number[] },
  filter: CommissionFilter,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ commissions: CommissionState[]; total: number }> {
  const selected = selectCommissions(db, filter)
    .where('commissions.program_id', 'in', idList(selection.programIds))
    .where('commissions.partner_id', 'in', idList(selection.partnerIds));
  const { total } = await selected
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const shown = selected
    .select(['commissions.program_id', 'commissions.id'])
    .orderBy('commissions.id', 'desc')
    .limit(page.limit)
    .offset(page.offset);
  const commissions = await db
    .selectFrom(shown.as('shown'))
    .innerJoin('commissions', (join) =>
      join.onRef('commissions.program_id', '=', 'shown.program_id').onRef('commissions.id', '=', 'shown.id'),
    )
    .select(PORTAL_COMMISSION_COLUMNS)
    .orderBy('commissions.id', 'desc')
    .execute();
  return { commissions, total };
}
