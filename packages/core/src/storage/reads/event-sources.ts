import { sql } from 'kysely';
import type { TimeRange } from '../../domain/time-range.ts';

export type EventType = 'click' | 'lead' | 'conversion';

/** The table of an event type, its time column, and the measure in `daily_totals` that counts its events. */
export interface EventSource {
  readonly type: EventType;
  readonly table: 'click_events' | 'lead_events' | 'sales';
  readonly at: 'click_at' | 'lead_at' | 'sale_at';
  readonly measure: 'clicks' | 'leads' | 'sales';
  readonly filter: EventFilter;
  /** Only events since this time are listed, because earlier ones were removed. Null lists all events. */
  readonly completeFrom: number | null;
}

const EVENT_SOURCES: readonly Omit<EventSource, 'filter' | 'completeFrom'>[] = [
  { type: 'click', table: 'click_events', at: 'click_at', measure: 'clicks' },
  { type: 'lead', table: 'lead_events', at: 'lead_at', measure: 'leads' },
  { type: 'conversion', table: 'sales', at: 'sale_at', measure: 'sales' },
];

/** The key and the time of an event. */
export interface ListedKey {
  readonly type: EventType;
  readonly id: number;
  readonly at: number;
}

export interface EventFilter {
  /** Null selects all types. */
  readonly type: EventType | null;
  readonly range: TimeRange;
  /** Selects only clicks with this sub-id. */
  readonly subId?: string | undefined;
  /** Selects only events of this partner. */
  readonly partnerId?: number | undefined;
  /** Selects only clicks on this link. */
  readonly linkId?: number | undefined;
  /** Selects only events of customers that a search for this text finds; see `searchEvents`. */
  readonly q?: string | undefined;
}

/** @param clicksCompleteFrom see `findClicksCompleteFrom` */
export function eventSources(filter: EventFilter, clicksCompleteFrom: number | null): readonly EventSource[] {
  const onlyClicks = filter.subId !== undefined || filter.linkId !== undefined;
  return EVENT_SOURCES.filter(
    ({ type }) => (filter.type ?? type) === type && (!onlyClicks || type === 'click'),
  ).map((source) => ({
    ...source,
    filter,
    completeFrom: source.type === 'click' ? clicksCompleteFrom : null,
  }));
}

/** Builds FROM and WHERE for a program's real events between two times. Both bounds are inclusive. */
export function eventsBetween(source: EventSource, programId: number, from: number, to: number) {
  return sql`FROM ${sql.table(source.table)} WHERE program_id = ${programId} AND is_test = 0
    AND ${sql.ref(source.at)} >= ${Math.max(from, source.completeFrom ?? from)} AND ${sql.ref(source.at)} <= ${to} ${eventConditions(source, programId)}`;
}

/**
 * The SQL conditions of a filter, each with a leading AND. The conditions for type, range and search are not
 * included.
 */
export function eventConditions({ filter: { subId, partnerId, linkId } }: EventSource, programId: number) {
  const ofSubId = subId === undefined ? sql`` : sql`AND sub_id = ${subId}`;
  const ofPartner = partnerId === undefined ? sql`` : sql`AND partner_id = ${partnerId}`;
  // Also select by the partner of the link, because only the index on a partner's clicks contains the link.
  const ofLink =
    linkId === undefined
      ? sql``
      : sql`AND link_id = ${linkId} AND partner_id =
          (SELECT links.partner_id FROM links WHERE links.program_id = ${programId} AND links.id = ${linkId})`;
  return sql`${ofSubId} ${ofPartner} ${ofLink}`;
}
