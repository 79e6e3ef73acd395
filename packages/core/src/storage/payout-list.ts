import { type Kysely, sql } from 'kysely';
import type { PayoutStatus } from '../domain/payout.ts';
import type { PayoutRow } from './payouts.ts';
import type { Schema } from './schema.ts';

/** A payout with whom it goes to, and how many commissions are in it. */
export type PayoutView = PayoutRow & {
  readonly partner_name: string;
  readonly partner_email: string;
  readonly commission_count: number;
};

/** Which payouts a list covers; null is any. */
export interface PayoutFilter {
  readonly programIds: readonly number[];
  readonly partnerIds: readonly number[] | null;
  readonly status: PayoutStatus | null;
}

/** One page, the last made first. */
export async function listPayouts(
  db: Kysely<Schema>,
  filter: PayoutFilter,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ payouts: PayoutView[]; total: number }> {
  const { total } = await filtered(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const payouts = await viewed(filtered(db, filter))
    .orderBy('payouts.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { payouts, total };
}

/** All of them in pages, the last made first: what is made meanwhile is left out. */
export async function* pagesOfPayouts(
  db: Kysely<Schema>,
  filter: PayoutFilter,
  limit: number,
): AsyncGenerator<PayoutView[]> {
  let below = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const page = await viewed(filtered(db, filter).where('payouts.id', '<', below))
      .orderBy('payouts.id', 'desc')
      .limit(limit)
      .execute();
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    below = page.at(-1)?.id ?? 0;
  }
}

/** The program's payout of that id, or null. */
export async function findPayout(
  db: Kysely<Schema>,
  programId: number,
  payoutId: number,
): Promise<PayoutView | null> {
  const all = { programIds: [programId], partnerIds: null, status: null };
  return (await viewed(filtered(db, all).where('payouts.id', '=', payoutId)).executeTakeFirst()) ?? null;
}

function filtered(db: Kysely<Schema>, { programIds, partnerIds, status }: PayoutFilter) {
  // An empty `in` is no SQL; no row has the id 0.
  return db
    .selectFrom('payouts')
    .where('payouts.program_id', 'in', [0, ...programIds])
    .$if(partnerIds !== null, (query) => query.where('payouts.partner_id', 'in', [0, ...(partnerIds ?? [])]))
    .$if(status !== null, (query) => query.where('payouts.status', '=', status ?? 'pending'));
}

function viewed(query: ReturnType<typeof filtered>) {
  return query
    .innerJoin('partners', 'partners.id', 'payouts.partner_id')
    .selectAll('payouts')
    .select(['partners.name as partner_name', 'partners.email as partner_email'])
    .select(
      sql<number>`(SELECT COUNT(*) FROM commissions
        WHERE commissions.program_id = payouts.program_id AND commissions.payout_id = payouts.id)`.as(
        'commission_count',
      ),
    );
}
