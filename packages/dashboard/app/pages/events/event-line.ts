import type { TrackedEvent } from '../../api/types.ts';

export type EventType = TrackedEvent['event_type'];

/** The ids of clicks, leads and sales are counted separately, so an event is known by its type and id. */
export function eventKeyOf({ event_type, id }: TrackedEvent): string {
  return `${event_type} ${id}`;
}

/** The id by which the page "Why?" finds the event, or null if the event has no such id. */
export function searchTextOf(event: TrackedEvent): string | null {
  if (event.event_type === 'conversion') return event.processor_event_id;
  return event.click_id ?? (event.event_type === 'lead' ? event.customer_key : null);
}

/** Where the event came from: the page without its protocol and query. */
export function eventPageOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { host, pathname } = new URL(url);
  return pathname === '/' ? host : host + pathname;
}

/** How many of the events are not shown yet. */
export function countNew(latest: readonly TrackedEvent[], shown: readonly TrackedEvent[]): number {
  const known = new Set(shown.map(eventKeyOf));
  return latest.filter((event) => !known.has(eventKeyOf(event))).length;
}
