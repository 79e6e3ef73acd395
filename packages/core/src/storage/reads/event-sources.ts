import { sql } from 'kysely';
import type { TimeRange } from '../../domain/time-range.ts';

export type EventType = 'click' | 'lead' | 'conversion';

/** The table of an event type, its time column, and the measure of `daily_totals` that counts its events. */
export interface EventSource {
  readonly type: EventType;
  readonly table: 'click_events' | 'lead_events' | 'sales';
  readonly at: 'click_at' | 'lead_at' | 'sale_at';
  readonly measure: 'clicks' | 'leads' | 'sales';
  /** Selects only the clicks with this sub id. */
  readonly subId?: string;
}

const SOURCES: readonly EventSource[] = [
  { type: 'click', table: 'click_events', at: 'click_at', measure: 'clicks' },
  { type: 'lead', table: 'lead_events', at: 'lead_at', measure: 'leads' },
  { type: 'conversion', table: 'sales', at: 'sale_at', measure: 'sales' },
];

/** Which events of a program are listed. */
export interface EventFilter {
  /** Null selects all types. */
  readonly type: EventType | null;
  readonly range: TimeRange;
  /** Selects only clicks with this sub id. */
  readonly subId?: string | undefined;
}

/** Returns the sources of the events that the filter selects. */
export function eventSources({ type, subId }: EventFilter): readonly EventSource[] {
  const sources = SOURCES.filter((source) => type === null || source.type === type);
  if (subId === undefined) return sources;
  return sources.filter((source) => source.type === 'click').map((source) => ({ ...source, subId }));
}

/** Builds FROM and WHERE for a program's real events between two times, both inclusive. */
export function eventsBetween(source: EventSource, programId: number, from: number, to: number) {
  return sql`FROM ${sql.table(source.table)} WHERE program_id = ${programId} AND is_test = 0
    AND ${sql.ref(source.at)} >= ${from} AND ${sql.ref(source.at)} <= ${to}
    ${source.subId === undefined ? sql`` : sql`AND sub_id = ${source.subId}`}`;
}
