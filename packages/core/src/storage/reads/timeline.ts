import type { Kysely, Selectable } from 'kysely';
import type { Engine } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import { findSaleByPaymentIds } from '../stripe/processor-refs.ts';
import { MAX_EVENT_DELAY_MS } from '../tracking/click-history.ts';
import type { CustomerRow } from '../tracking/customers.ts';
import { findClicksCompleteFrom } from '../tracking/removed-months.ts';
import { findCustomerNamesOfPayment } from './timeline-processor.ts';
import { rowCreatedAt, type TraceListReader } from './trace-list-reader.ts';

/** Identifies the customer of a trace. Exactly one field is set. */
export interface TraceQuery {
  /** The transaction id, or another id of the same payment. */
  readonly transactionId?: string | undefined;
  readonly clickId?: string | undefined;
  readonly customerKey?: string | undefined;
  readonly commissionId?: number | undefined;
}

export interface TracedCustomer {
  readonly customer: CustomerRow;
  /** The sale that the query identified, and its partner. Null when it identified only the customer. */
  readonly sale: { readonly id: number; readonly partnerId: number | null } | null;
}

/** Finds the program's customer whom the query identifies. Test events have no customer. */
export async function findTracedCustomer(
  { read: db }: Pick<Engine, 'read'>,
  program: { readonly id: number; readonly workspaceId: number },
  query: TraceQuery,
): Promise<TracedCustomer | null> {
  const { clickId, customerKey, commissionId, transactionId = '' } = query;
  if (commissionId !== undefined) return await findByCommission(db, program.id, commissionId);
  if (clickId !== undefined || customerKey !== undefined) {
    return await findByNames(db, program.id, { clickId, customerKey });
  }
  const sale = await findSaleByPaymentIds(db, program.workspaceId, [transactionId]);
  if (sale?.programId !== program.id) {
    const named = await findCustomerNamesOfPayment(db, program, transactionId);
    return named && (await findByNames(db, program.id, named));
  }
  const row = await selectTracedCustomers(db, program.id)
    .innerJoin('sales', (join) =>
      join
        .onRef('sales.program_id', '=', 'customers.program_id')
        .onRef('sales.customer_id', '=', 'customers.id'),
    )
    .select(['sales.id as sale_id', 'sales.partner_id as sale_partner_id'])
    .where('sales.id', '=', sale.saleId)
    .executeTakeFirst();
  return row ? toTracedCustomer(row) : null;
}

async function findByCommission(
  db: Kysely<Schema>,
  programId: number,
  commissionId: number,
): Promise<TracedCustomer | null> {
  const row = await selectTracedCustomers(db, programId)
    .innerJoin('commissions', (join) =>
      join
        .onRef('commissions.program_id', '=', 'customers.program_id')
        .onRef('commissions.customer_id', '=', 'customers.id'),
    )
    .select(['commissions.sale_id', 'commissions.partner_id as sale_partner_id'])
    .where('commissions.id', '=', commissionId)
    .executeTakeFirst();
  return row ? toTracedCustomer(row) : null;
}

function toTracedCustomer({
  sale_id: id,
  sale_partner_id: partnerId,
  ...customer
}: CustomerRow & { readonly sale_id: number; readonly sale_partner_id: number | null }): TracedCustomer {
  return { customer, sale: { id, partnerId } };
}

/** Finds a customer by its key. If no customer has the key, it finds the customer by its click id. */
async function findByNames(
  db: Kysely<Schema>,
  programId: number,
  names: { readonly clickId?: string | null | undefined; readonly customerKey?: string | null | undefined },
): Promise<TracedCustomer | null> {
  const columns = [
    ['customer_key', names.customerKey],
    ['click_id', names.clickId],
  ] as const;
  for (const [column, value] of columns) {
    if (value == null) continue;
    const customer = await selectTracedCustomers(db, programId).where(column, '=', value).executeTakeFirst();
    if (customer) return { customer, sale: null };
  }
  return null;
}

function selectTracedCustomers(db: Kysely<Schema>, programId: number) {
  return db.selectFrom('customers').selectAll('customers').where('customers.program_id', '=', programId);
}

/** The events and trace notes of a customer. Each list is sorted by id. */
export interface EventTimeline {
  readonly clicks: readonly Selectable<Schema['click_events']>[];
  /** Whether the customer's first clicks have been removed from the database. */
  readonly areClicksRemoved: boolean;
  readonly leads: readonly Selectable<Schema['lead_events']>[];
  readonly sales: readonly Selectable<Schema['sales']>[];
  readonly notes: readonly Selectable<Schema['trace_notes']>[];
  /** Notes about other customers that mention this customer's click id. */
  readonly notesElsewhere: readonly Selectable<Schema['trace_notes']>[];
}

/** @param saleId a sale to include even if `lists` leaves it out because it is in the middle of a long list */
export async function findEventTimeline(
  db: Kysely<Schema>,
  lists: TraceListReader,
  customer: CustomerRow,
  saleId: number | null,
): Promise<EventTimeline> {
  const ofCustomer = { program_id: customer.program_id, customer_id: customer.id };
  const [clicks, leads, sales, notes, notesElsewhere] = await Promise.all([
    lists.read(
      'clicks',
      (order, limit) =>
        db
          .selectFrom('click_events')
          .selectAll()
          .where((where) => where.and(ofCustomer))
          // This condition lets Postgres skip older partitions. It excludes no click, because a click is at most
          // `MAX_EVENT_DELAY_MS` older than the row of its customer.
          .where('click_at', '>=', customer.created_at - MAX_EVENT_DELAY_MS)
          .orderBy('id', order)
          .limit(limit)
          .execute(),
      rowCreatedAt,
    ),
    // A customer has at most one lead, so this list needs no limit.
    db
      .selectFrom('lead_events')
      .selectAll()
      .where((where) => where.and(ofCustomer))
      .execute(),
    lists.read(
      'sales',
      (order, limit) =>
        db
          .selectFrom('sales')
          .selectAll()
          .where((where) => where.and(ofCustomer))
          .orderBy('id', order)
          .limit(limit)
          .execute(),
      rowCreatedAt,
    ),
    lists.read(
      'notes',
      (order, limit) =>
        db
          .selectFrom('trace_notes')
          .selectAll()
          .where((where) => where.and(ofCustomer))
          .orderBy('id', order)
          .limit(limit)
          .execute(),
      rowCreatedAt,
    ),
    lists.read(
      'notes of other customers',
      (order, limit) =>
        db
          .selectFrom('trace_notes')
          .selectAll()
          .where('program_id', '=', customer.program_id)
          .where('detail', '=', customer.click_id)
          .where('customer_id', '<>', customer.id)
          .orderBy('id', order)
          .limit(limit)
          .execute(),
      rowCreatedAt,
    ),
  ]);
  const isListed = saleId === null || sales.some(({ id }) => id === saleId);
  const named = isListed
    ? []
    : await db
        .selectFrom('sales')
        .selectAll()
        .where((where) => where.and({ ...ofCustomer, id: saleId }))
        .execute();
  const allSales = [...sales, ...named].sort((one, other) => one.id - other.id);
  // The first click and its customer are stored together, with the same time.
  const isFirstStored = clicks.some(({ created_at }) => created_at === customer.created_at);
  // A customer who was imported from another service has no first click.
  const hasFirstClick = notes.every(({ reason }) => reason !== 'customer_imported');
  const completeFrom = isFirstStored || !hasFirstClick ? null : await findClicksCompleteFrom(db);
  const areClicksRemoved = customer.created_at < (completeFrom ?? 0);
  return { clicks, areClicksRemoved, leads, sales: allSales, notes, notesElsewhere };
}
