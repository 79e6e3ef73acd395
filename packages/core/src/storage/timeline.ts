import type { Kysely } from 'kysely';
import type { CustomerRow } from './customers.ts';
import type { Schema } from './schema.ts';

/** What a trace is asked by. */
export interface TraceQuery {
  readonly transactionId?: string | undefined;
  readonly clickId?: string | undefined;
  readonly customerKey?: string | undefined;
}

/** The customer of the program that the query names, or null. */
export async function findTracedCustomer(
  db: Kysely<Schema>,
  programId: number,
  query: TraceQuery,
): Promise<CustomerRow | null> {
  const customers = db
    .selectFrom('customers')
    .selectAll('customers')
    .where('customers.program_id', '=', programId);
  if (query.clickId !== undefined) {
    return (await customers.where('click_id', '=', query.clickId).executeTakeFirst()) ?? null;
  }
  if (query.customerKey !== undefined) {
    return (await customers.where('customer_key', '=', query.customerKey).executeTakeFirst()) ?? null;
  }
  const row = await customers
    .innerJoin('sales', (join) =>
      join
        .onRef('sales.program_id', '=', 'customers.program_id')
        .onRef('sales.customer_id', '=', 'customers.id'),
    )
    .where('sales.is_test', '=', 0)
    .where('sales.processor_event_id', '=', query.transactionId ?? '')
    .executeTakeFirst();
  return row ?? null;
}

/** Every row that tells a customer's story in a program. */
export async function findTimeline(db: Kysely<Schema>, customer: CustomerRow) {
  const ofCustomer = { program_id: customer.program_id, customer_id: customer.id };
  const [leads, sales, commissions, notes] = await Promise.all([
    db
      .selectFrom('lead_events')
      .selectAll()
      .where((where) => where.and(ofCustomer))
      .orderBy('id')
      .execute(),
    db
      .selectFrom('sales')
      .selectAll()
      .where((where) => where.and(ofCustomer))
      .orderBy('id')
      .execute(),
    db
      .selectFrom('commissions')
      .selectAll()
      .where((where) => where.and(ofCustomer))
      .orderBy('id')
      .execute(),
    db
      .selectFrom('trace_notes')
      .selectAll()
      .where((where) => where.and(ofCustomer))
      .orderBy('id')
      .execute(),
  ]);
  // A list that is empty is no SQL.
  const commissionIds = [0, ...commissions.map((commission) => commission.id)];
  const [clicks, refunds, entries] = await Promise.all([
    db
      .selectFrom('click_events')
      .selectAll()
      .where((where) => where.and(ofCustomer))
      .orderBy('id')
      .execute(),
    db
      .selectFrom('refunds')
      .selectAll()
      .where('program_id', '=', customer.program_id)
      .where('commission_id', 'in', commissionIds)
      .orderBy('id')
      .execute(),
    db
      .selectFrom('ledger_entries')
      .selectAll()
      .where('program_id', '=', customer.program_id)
      .where('scope', '=', 'partner_program')
      .where('commission_id', 'in', commissionIds)
      .orderBy('id')
      .execute(),
  ]);
  return { clicks, leads, sales, commissions, refunds, entries, notes };
}
