import { utcDay } from '../../domain/calendar.ts';
import type { ClickSums, CounterSum, DailySum, NewClickEvent } from '../database/click-store.ts';
import { hourlyTotalOwner, WHOLE_PROGRAM } from './total-owner.ts';

/**
 * Sums up the events of a batch by counter and day. The sums are sorted in the order in which all
 * transactions lock the rows.
 */
export function sumClicks(events: readonly NewClickEvent[]): ClickSums {
  const counters = new Map<string, CounterSum>();
  const days = new Map<string, DailySum>();
  const count = (programId: number, subject: 'link' | 'partner', subjectId: number, at: number) => {
    const name = `${programId}:${subject}:${subjectId}`;
    const sum = counters.get(name);
    if (!sum) counters.set(name, { programId, subject, subjectId, value: 1, lastAt: at });
    else {
      sum.value += 1;
      sum.lastAt = Math.max(sum.lastAt, at);
    }
  };
  const countDay = (programId: number, partnerId: number, at: number) => {
    const day = utcDay(at);
    const name = `${programId}:${partnerId}:${day}`;
    const sum = days.get(name);
    if (!sum) days.set(name, { programId, partnerId, day, value: 1 });
    else sum.value += 1;
  };
  for (const event of events) {
    count(event.programId, 'link', event.linkId, event.at);
    countDay(event.programId, WHOLE_PROGRAM, event.at);
    countDay(event.programId, hourlyTotalOwner(event.at), event.at);
    if (event.partnerId === null) continue;
    count(event.programId, 'partner', event.partnerId, event.at);
    countDay(event.programId, event.partnerId, event.at);
  }
  return {
    counters: [...counters.values()].sort(
      (a, b) =>
        a.programId - b.programId ||
        (a.subject < b.subject ? -1 : Number(a.subject > b.subject)) ||
        a.subjectId - b.subjectId,
    ),
    days: [...days.values()].sort(
      (a, b) => a.programId - b.programId || a.partnerId - b.partnerId || a.day - b.day,
    ),
  };
}
