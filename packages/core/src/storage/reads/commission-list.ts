import type { Kysely, Selectable } from 'kysely';
import type { CommissionStatus } from '../../domain/commission-status.ts';
import type { TimeRange } from '../../domain/time-range.ts';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

/** A commission with what names its sale. */
export type CommissionView = Selectable<Schema['commissions']> & {
  readonly transaction_id: string;
  readonly sale_amount_cents: number;
};

/** Which commissions of a program, or of a partner, a list covers; null is any. The range is of the sale's time. */
export interface CommissionFilter {
  readonly status: CommissionStatus | null;
  readonly range: TimeRange;
}

/** One page of a program's commissions, newest sale first. */
export async function listCommissions(
  db: Kysely<Schema>,
  programId: number,
  filter: CommissionFilter & { readonly partnerId: number | null },
  page: { readonly offset: number; readonly limit: number },
): Promise<{ commissions: CommissionView[]; total: number }> {
  const { partnerId } = filter;
  const selected = filtered(db, filter)
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

/** The program's commission of that id, locked until the work ends. */
export async function lockCommission(
  tx: Transaction,
  programId: number,
  commissionId: number,
): Promise<CommissionView | null> {
  const mine = tx.db
    .selectFrom('commissions')
    .where('commissions.program_id', '=', programId)
    .where('commissions.id', '=', commissionId);
  // Locked by a statement of its own, so that the row is read as it is after the wait.
  if (tx.dialect === 'postgres') await mine.select('commissions.id').forUpdate().execute();
  return (await withSale(mine).executeTakeFirst()) ?? null;
}

function withSale(selected: ReturnType<typeof filtered>) {
  return selected
    .innerJoin('sales', (join) =>
      join
        .onRef('sales.program_id', '=', 'commissions.program_id')
        .onRef('sales.id', '=', 'commissions.sale_id'),
    )
    .selectAll('commissions')
    .select(['sales.processor_event_id as transaction_id', 'sales.amount_cents as sale_amount_cents']);
}

/** Narrows any list of commissions. */
export function filtered(db: Kysely<Schema>, { status, range }: CommissionFilter) {
  return db
    .selectFrom('commissions')
    .$if(status !== null, (query) => query.where('commissions.status', '=', status ?? 'pending'))
    .$if(range.from !== null, (query) => query.where('commissions.commission_at', '>=', range.from ?? 0))
    .$if(range.to !== null, (query) => query.where('commissions.commission_at', '<=', range.to ?? 0));
}
