import { isoTime } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import { pickListedColumns } from '../storage/database/click-columns.ts';
import type { ListTotal } from '../storage/database/list-page.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import type { EventFilter } from '../storage/reads/event-sources.ts';
import { type EventRow, listEvents } from '../storage/reads/events.ts';

/** Reads a page of the merged event list, with the fields that the API returns. */
export async function readEvents(
  runtime: Runtime,
  program: ProgramAccount,
  filter: EventFilter,
  page: { readonly offset: number; readonly limit: number },
): Promise<{
  events: Record<string, unknown>[];
  total: number | ListTotal;
  clicksCompleteFrom: number | null;
}> {
  const { events, total, clicksCompleteFrom } = await listEvents(runtime.engine, program.id, filter, page);
  return {
    events: events.map(normalizeEvent),
    total,
    clicksCompleteFrom: sinceCreation(clicksCompleteFrom, program),
  };
}

/**
 * Returns `clicksCompleteFrom`. Only clicks before this time may have been removed. If the program was created later,
 * returns null, because none of its clicks were removed.
 */
function sinceCreation(
  clicksCompleteFrom: number | null,
  { createdAt }: Pick<ProgramAccount, 'createdAt'>,
): number | null {
  return clicksCompleteFrom !== null && clicksCompleteFrom > createdAt ? clicksCompleteFrom : null;
}

function normalizeEvent(event: EventRow): Record<string, unknown> {
  const common = {
    id: event.row.id,
    event_type: event.type,
    click_id: event.row.click_id,
    createdAt: isoTime(event.row.created_at),
    partner_id: event.row.partner_id,
    link_id: event.type === 'click' ? event.row.link_id : event.row.customer_link_id,
  };
  switch (event.type) {
    case 'click': {
      const { row } = event;
      return {
        ...common,
        timestamp: isoTime(row.click_at),
        ...pickListedColumns(row),
        converted: row.first_purchase_at !== null,
      };
    }
    case 'lead': {
      const { row } = event;
      return {
        ...common,
        timestamp: isoTime(row.lead_at),
        customer_key: row.customer_key,
        session_id: row.session_id,
        page_url: row.page_url,
        converted: row.first_purchase_at !== null,
      };
    }
    case 'conversion': {
      const { row } = event;
      return {
        ...common,
        timestamp: isoTime(row.sale_at),
        amount_cents: row.amount_cents,
        currency: row.currency,
        sale_type: row.sale_type,
        payment_status: row.payment_status,
        processor_event_id: row.processor_event_id,
        is_recurring: row.is_recurring === 1,
        no_commission_reason: row.no_commission_reason,
      };
    }
  }
}
