import type { Kysely } from 'kysely';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import type { ProcessorEventRow } from '../stripe/processor-events.ts';
import type { CustomerRow } from '../tracking/customers.ts';
import type { TraceListReader } from './trace-list-reader.ts';

/**
 * Lists the webhook events about a customer's sales, and the events that contain the customer's click id or
 * key.
 */
export async function listProcessorEvents(
  db: Kysely<Schema>,
  lists: TraceListReader,
  customer: CustomerRow,
  saleIds: readonly number[],
): Promise<ProcessorEventRow[]> {
  return await lists.read(
    'webhook events',
    (order, limit) =>
      db
        .selectFrom('processor_events')
        .selectAll()
        .where('program_id', '=', customer.program_id)
        .where((where) =>
          where.or([
            where('sale_id', 'in', idList(saleIds)),
            where('click_id', '=', customer.click_id),
            ...(customer.customer_key === null ? [] : [where('customer_key', '=', customer.customer_key)]),
          ]),
        )
        .orderBy('received_at', order)
        .orderBy('event_id', order)
        .limit(limit)
        .execute(),
    (event) => event.received_at,
  );
}

/**
 * Finds the click id and customer key in a webhook event of the payment. This works even if no sale was
 * recorded.
 */
export async function findCustomerNamesOfPayment(
  db: Kysely<Schema>,
  program: { readonly id: number; readonly workspaceId: number },
  ref: string,
): Promise<{ clickId: string | null; customerKey: string | null } | null> {
  const row = await db
    .selectFrom('processor_event_refs as named')
    .innerJoin('processor_events as event', (join) =>
      join
        .onRef('event.connection_id', '=', 'named.connection_id')
        .onRef('event.event_id', '=', 'named.event_id'),
    )
    .select(['event.click_id as clickId', 'event.customer_key as customerKey'])
    .where('named.workspace_id', '=', program.workspaceId)
    .where('named.ref', '=', ref)
    .where('event.program_id', '=', program.id)
    .where((where) => where.or([where('click_id', 'is not', null), where('customer_key', 'is not', null)]))
    .orderBy('event.received_at')
    .orderBy('event.event_id')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
