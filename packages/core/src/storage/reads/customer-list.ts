import type { Kysely, Selectable } from 'kysely';
import { capPage, capTotal, type ListTotal, MAX_LISTED } from '../database/listable.ts';
import type { Schema } from '../database/schema.ts';

/** A customer with its partner's name. */
export type CustomerView = Selectable<Schema['customers']> & {
  /** Null when the partner was erased. */
  readonly partner_name: string | null;
};

export async function findCustomer(
  db: Kysely<Schema>,
  programId: number,
  customerId: number,
): Promise<CustomerView | null> {
  const row = await selectCustomers(db, programId).where('customers.id', '=', customerId).executeTakeFirst();
  return row ?? null;
}

/**
 * Lists a page of the program's newest `MAX_LISTED` customers, newest first. Click ids start with their time,
 * so the index on them has this order.
 */
export async function listCustomers(
  db: Kysely<Schema>,
  programId: number,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ customers: CustomerView[]; total: ListTotal }> {
  const newest = db
    .selectFrom('customers')
    .select('click_id')
    .where('program_id', '=', programId)
    .orderBy('click_id', 'desc')
    .limit(MAX_LISTED + 1);
  const { matches } = await db
    .selectFrom(newest.as('newest'))
    .select((eb) => eb.fn.countAll<number>().as('matches'))
    .executeTakeFirstOrThrow();
  const { offset, limit } = capPage(page);
  const customers = await selectCustomers(db, programId)
    .orderBy('customers.click_id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { customers, total: capTotal(matches) };
}

function selectCustomers(db: Kysely<Schema>, programId: number) {
  return db
    .selectFrom('customers')
    .leftJoin('partners', 'partners.id', 'customers.partner_id')
    .selectAll('customers')
    .select('partners.name as partner_name')
    .where('customers.program_id', '=', programId);
}
