import type { Kysely, Selectable } from 'kysely';
import type { CommissionStatus } from '../../domain/commission-status.ts';
import type { TimeRange } from '../../domain/time-range.ts';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

/** A commission with its partner's name and the transaction id and amount of its sale. */
export type CommissionView = Selectable<Schema['commissions']> & {
  readonly transaction_id: string;
  readonly sale_amount_cents: number;
  readonly partner_name: string;
};

/** Filters commissions; null matches any value. `range` applies to the time of the sale. */
export interface CommissionFilter {
  readonly status: CommissionStatus | null;
  readonly range: TimeRange;
}

/** Lists a page of a program's commissions, newest sale first. */
export async function listCommissions(
  db: Kysely<Schema>,
  programId: number,
  filter: CommissionFilter & { readonly partnerId: number | null },
  page: { readonly offset: number; readonly limit: number },
): Promise<{ commissions: CommissionView[]; total: number }> {
  const { partnerId } = filter;
  const selected = selectCommissions(db, filter)
    .where('commissions.program_id', '=', programId)
    .$if(partnerId !== null, (query) => query.where('commissions.partner_id', '=', partnerId ?? 0));
  const { total } = await selected
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const commissions = await withSale(selected)
    .orderBy('commissions.commission_at', 'desc')
    .orderBy('commissions.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { commissions, total };
}

export async function findCommission(
  db: Kysely<Schema>,
  programId: number,
  commissionId: number,
): Promise<CommissionView | null> {
  const selected = db
    .selectFrom('commissions')
    .where('commissions.program_id', '=', programId)
    .where('commissions.id', '=', commissionId);
  return (await withSale(selected).executeTakeFirst()) ?? null;
}

/** Finds a commission and locks it until the transaction ends. */
export async function lockCommission(
  tx: Transaction,
  programId: number,
  commissionId: number,
): Promise<CommissionView | null> {
  // A separate statement takes the lock, so that the row is read after the wait for the lock.
  if (tx.dialect === 'postgres') {
    await tx.db
      .selectFrom('commissions')
      .select('id')
      .where('program_id', '=', programId)
      .where('id', '=', commissionId)
      .forUpdate()
      .execute();
  }
  return await findCommission(tx.db, programId, commissionId);
}

function withSale(selected: ReturnType<typeof selectCommissions>) {
  return selected
    .innerJoin('sales', (join) =>
      join
        .onRef('sales.program_id', '=', 'commissions.program_id')
        .onRef('sales.id', '=', 'commissions.sale_id'),
    )
    .innerJoin('partners', 'partners.id', 'commissions.partner_id')
    .selectAll('commissions')
    .select([
      'sales.processor_event_id as transaction_id',
      'sales.amount_cents as sale_amount_cents',
      'partners.name as partner_name',
    ]);
}

/** Selects the commissions that match the filter, in all programs. */
export function selectCommissions(db: Kysely<Schema>, { status, range }: CommissionFilter) {
  return db
    .selectFrom('commissions')
    .$if(status !== null, (query) => query.where('commissions.status', '=', status ?? 'pending'))
    .$if(range.from !== null, (query) => query.where('commissions.commission_at', '>=', range.from ?? 0))
    .$if(range.to !== null, (query) => query.where('commissions.commission_at', '<=', range.to ?? 0));
}
