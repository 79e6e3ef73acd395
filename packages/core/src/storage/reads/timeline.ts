import type { Kysely, Selectable } from 'kysely';
import type { Engine } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import type { CustomerRow } from '../tracking/customers.ts';
import { loadTaken } from '../tracking/sale-facts.ts';
import { findNamedByProcessor } from './timeline-processor.ts';

/** What a trace is asked by: one of these. */
export interface TraceQuery {
  /** Or another id of the same payment. */
  readonly transactionId?: string | undefined;
  readonly clickId?: string | undefined;
  readonly customerKey?: string | undefined;
}

/** A customer, and the sale by which it was asked for. */
export interface Traced {
  readonly customer: CustomerRow;
  readonly saleId: number | null;
}

/** The customer of the program that the query names, or null. Test events have none. */
export async function findTraced(
  { read: db, dialect }: Pick<Engine, 'read' | 'dialect'>,
  program: { readonly id: number; readonly workspaceId: number },
  query: TraceQuery,
): Promise<Traced | null> {
  const { clickId, customerKey, transactionId = '' } = query;
  if (clickId !== undefined || customerKey !== undefined) {
    return await findNamed(db, program.id, { clickId, customerKey });
  }
  const { workspaceId } = program;
  const taken = await loadTaken({ db, dialect }, [{ workspaceId, transactionId, refs: [] }]);
  const sale = taken(workspaceId, transactionId, []);
  if (sale?.programId !== program.id) {
    const named = await findNamedByProcessor(db, program, transactionId);
    return named && (await findNamed(db, program.id, named));
  }
  const customer = await customersOf(db, program.id)
    .innerJoin('sales', (join) =>
      join
        .onRef('sales.program_id', '=', 'customers.program_id')
        .onRef('sales.customer_id', '=', 'customers.id'),
    )
    .where('sales.id', '=', sale.saleId)
    .executeTakeFirst();
  return customer ? { customer, saleId: sale.saleId } : null;
}

/** By the key; where none has it, by the click. */
async function findNamed(
  db: Kysely<Schema>,
  programId: number,
  names: { readonly clickId?: string | null | undefined; readonly customerKey?: string | null | undefined },
): Promise<Traced | null> {
  const columns = [
    ['customer_key', names.customerKey],
    ['click_id', names.clickId],
  ] as const;
  for (const [column, value] of columns) {
    if (value == null) continue;
    const customer = await customersOf(db, programId).where(column, '=', value).executeTakeFirst();
    if (customer) return { customer, saleId: null };
  }
  return null;
}

function customersOf(db: Kysely<Schema>, programId: number) {
  return db.selectFrom('customers').selectAll('customers').where('customers.program_id', '=', programId);
}

/** What a customer did, and what was noted of it, each by its id. */
export interface EventTimeline {
  readonly clicks: readonly Selectable<Schema['click_events']>[];
  readonly leads: readonly Selectable<Schema['lead_events']>[];
  readonly sales: readonly Selectable<Schema['sales']>[];
  readonly notes: readonly Selectable<Schema['trace_notes']>[];
  /** Of other customers, about this one's click. */
  readonly notesElsewhere: readonly Selectable<Schema['trace_notes']>[];
}

export async function findEventTimeline(db: Kysely<Schema>, customer: CustomerRow): Promise<EventTimeline> {
  const ofCustomer = { program_id: customer.program_id, customer_id: customer.id };
  const [clicks, leads, sales, notes, notesElsewhere] = await Promise.all([
    db
      .selectFrom('click_events')
      .selectAll()
      .where((where) => where.and(ofCustomer))
      .orderBy('id')
      .execute(),
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
      .selectFrom('trace_notes')
      .selectAll()
      .where((where) => where.and(ofCustomer))
      .orderBy('id')
      .execute(),
    db
      .selectFrom('trace_notes')
      .selectAll()
      .where('program_id', '=', customer.program_id)
      .where('detail', '=', customer.click_id)
      .where('customer_id', '<>', customer.id)
      .orderBy('id')
      .execute(),
  ]);
  return { clicks, leads, sales, notes, notesElsewhere };
}
