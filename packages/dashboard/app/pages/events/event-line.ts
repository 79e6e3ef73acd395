import type { TrackedEvent } from '../../api/types.ts';

export type EventType = TrackedEvent['event_type'];

/**
 * Returns a key that identifies an event. The id alone is not enough, because clicks, leads and sales have
 * separate ids.
 */
export function eventKeyOf({ event_type, id }: TrackedEvent): string {
  return `${event_type} ${id}`;
}

/** Returns the id by which the page "Why?" finds the event, or null if the event has no such id. */
export function searchTextOf(event: TrackedEvent): string | null {
  if (event.event_type === 'conversion') return event.processor_event_id;
  return event.click_id ?? (event.event_type === 'lead' ? event.customer_key : null);
}

/** Returns the page on which the event happened, without protocol and query. */
export function eventPageOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { host, pathname } = new URL(url);
  return pathname === '/' ? host : host + pathname;
}

/** Returns the number of events that are not shown yet. */
export function countNew(latest: readonly TrackedEvent[], shown: readonly TrackedEvent[]): number {
  const known = new Set(shown.map(eventKeyOf));
  return latest.filter((event) => !known.has(eventKeyOf(event))).length;
}
