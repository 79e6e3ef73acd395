import type { Selectable } from 'kysely';
import { toMajorUnits } from '../../src/domain/money.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import type { Schema } from '../../src/storage/database/schema.ts';

const DAY = 86_400_000;

type Rows<T extends keyof Schema> = readonly Selectable<Schema[T]>[];

/** All stored rows of a program. */
export interface ProgramRows {
  readonly clicks: Rows<'click_events'>;
  readonly leads: Rows<'lead_events'>;
  readonly sales: Rows<'sales'>;
  readonly customers: Rows<'customers'>;
  readonly commissions: Rows<'commissions'>;
  readonly partners: Rows<'partner_programs'>;
}

export async function loadRows({ read }: Engine, programId: number): Promise<ProgramRows> {
  return {
    clicks: await read.selectFrom('click_events').selectAll().where('program_id', '=', programId).execute(),
    leads: await read.selectFrom('lead_events').selectAll().where('program_id', '=', programId).execute(),
    sales: await read.selectFrom('sales').selectAll().where('program_id', '=', programId).execute(),
    customers: await read.selectFrom('customers').selectAll().where('program_id', '=', programId).execute(),
    commissions: await read
      .selectFrom('commissions')
      .selectAll()
      .where('program_id', '=', programId)
      .execute(),
    partners: await read
      .selectFrom('partner_programs')
      .selectAll()
      .where('program_id', '=', programId)
      .execute(),
  };
}

export interface ReferenceEvent {
  readonly type: 'click' | 'lead' | 'conversion';
  readonly id: number;
  readonly at: number;
}

/** Lists the real events of one type or of all types in a time range, in the order of the event list. */
export function listReferenceEvents(
  { clicks, leads, sales }: ProgramRows,
  type: ReferenceEvent['type'] | null,
  range: { readonly from: number | null; readonly to: number | null },
): ReferenceEvent[] {
  const isReal = (row: { is_test: 0 | 1 }) => row.is_test === 0;
  const events: ReferenceEvent[] = [
    ...clicks.filter(isReal).map((row) => ({ type: 'click' as const, id: row.id, at: row.click_at })),
    ...leads.filter(isReal).map((row) => ({ type: 'lead' as const, id: row.id, at: row.lead_at })),
    ...sales.filter(isReal).map((row) => ({ type: 'conversion' as const, id: row.id, at: row.sale_at })),
  ];
  return events
    .filter((event) => type === null || event.type === type)
    .filter(({ at }) => at >= (range.from ?? at) && at <= (range.to ?? at))
    .sort((a, b) => b.at - a.at || (a.type === b.type ? b.id - a.id : a.type < b.type ? 1 : -1));
}

/**
 * Computes the metrics of a range of days from the stored rows.
 * @param from first day
 * @param to last day, included
 */
export function computeReferenceMetrics(rows: ProgramRows, currency: string, from: number, to: number) {
  const isIn = (at: number | null) => at !== null && at >= from * DAY && at < (to + 1) * DAY;
  const clicks = rows.clicks.filter((row) => row.is_test === 0 && isIn(row.click_at)).length;
  const isLead = (status: string) => status === 'lead' || status === 'conversion';
  const leads = rows.customers.filter((row) => isLead(row.status) && isIn(row.signup_at)).length;
  const conversions = rows.customers.filter(
    (row) => row.status === 'conversion' && isIn(row.first_purchase_at),
  ).length;
  const sales = rows.sales.filter((row) => row.is_test === 0 && isIn(row.sale_at));
  const commissions = rows.commissions.filter((row) => isIn(row.commission_at));
  const sum = (items: readonly { currency: string; amount_cents: number }[], of: string) =>
    items.filter((item) => item.currency === of).reduce((cents, item) => cents + item.amount_cents, 0);
  const others = new Set(sales.map((sale) => sale.currency).filter((other) => other !== currency));
  return {
    clicks,
    leads,
    conversions,
    sales: sales.length,
    partners: rows.partners.filter((row) => isIn(row.created_at)).length,
    revenueCents: sum(sales, currency),
    commissionCents: sum(commissions, currency),
    others: [...others].sort().map((other) => ({
      currency: other,
      totalRevenue: toMajorUnits(sum(sales, other), other),
      // Commissions in the program's currency are in `commissionCents`, even if the sale is in another
      // currency.
      totalPartnersCommission: toMajorUnits(sum(commissions, other), other),
    })),
  };
}

/** Returns the first day that has a metric, or null if there is none. */
export function firstDayOf({ clicks, leads, sales, customers, commissions, partners }: ProgramRows) {
  const times = [
    ...clicks.filter((row) => row.is_test === 0).map((row) => row.click_at),
    ...leads.filter((row) => row.is_test === 0).map((row) => row.lead_at),
    ...sales.filter((row) => row.is_test === 0).map((row) => row.sale_at),
    ...customers.flatMap((row) => [row.signup_at ?? [], row.first_purchase_at ?? []].flat()),
    ...commissions.map((row) => row.commission_at),
    ...partners.map((row) => row.created_at),
  ];
  return times.length === 0 ? null : Math.floor(Math.min(...times) / DAY);
}

/**
 * Returns what the integration status shows about test events: the newest event, and the number of events. A number
 * above 10 is shown as 10.
 */
export function describeReferenceTests(rows: readonly { id: number; is_test: 0 | 1; at: number }[]) {
  const tests = rows.filter((row) => row.is_test === 1).sort((a, b) => b.at - a.at || b.id - a.id);
  const [latest] = tests;
  return {
    testEventCount: Math.min(10, tests.length),
    hasTestEvents: tests.length > 0,
    latestTestEvent: latest ? expectingTime(latest) : null,
  };
}

function expectingTime({ id, at }: { id: number; at: number }) {
  return { id, timestamp: new Date(at).toISOString(), createdAt: new Date(at).toISOString() };
}

/** Computes the trend between two values in percent, as the API must return it. */
export function computeReferenceTrend(current: number, previous: number) {
  if (previous === 0 && current > 0) return { trend: 100, trendDirection: 'up' };
  if (current === previous) return { trend: 0, trendDirection: 'stable' };
  const percent = ((current - previous) * 100) / previous;
  return {
    trend: Math.round(Math.abs(percent) * 10) / 10,
    trendDirection: percent > 0 ? 'up' : 'down',
  };
}
