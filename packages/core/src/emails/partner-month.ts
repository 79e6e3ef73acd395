import { utcDay } from '../domain/calendar.ts';
import { formatMoney } from '../domain/money.ts';
import type { DayRange } from '../domain/period.ts';
import type { MonthFigures } from '../mail/templates/earnings.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { listTotalsByDay } from '../storage/reads/series.ts';

/** The UTC month before the month of `at`, such as `2026-01`. */
export function previousMonthOf(at: number): string {
  const date = new Date(at);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1, 1)).toISOString().slice(0, 7);
}

/** The UTC days of a month such as `2026-01`. */
export function daysOfMonth(month: string): DayRange {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return { from: utcDay(Date.UTC(year, number - 1, 1)), to: utcDay(Date.UTC(year, number, 1)) - 1 };
}

/** The name of a month, such as `January 2026`. */
export function monthNameOf(month: string): string {
  const format = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return format.format(new Date(`${month}-01T00:00:00Z`));
}

/** Reads a partner's figures of a month, from daily totals only. */
export async function readPartnerMonth(
  db: Transaction['db'],
  { programId, partnerId }: { readonly programId: number; readonly partnerId: number },
  month: string,
): Promise<MonthFigures> {
  const names = ['clicks', 'leads', 'sales', 'commission'] as const;
  const totals = await listTotalsByDay(db, programId, partnerId, names, daysOfMonth(month));
  const sums = new Map<string, number>();
  for (const { measure, value } of totals) sums.set(measure, (sums.get(measure) ?? 0) + value);
  const commissions = [...sums]
    .filter(([measure, value]) => measure.startsWith('commission:') && value !== 0)
    .toSorted()
    .map(([measure, value]) => formatMoney(value, measure.slice('commission:'.length)));
  const countOf = (measure: string) => sums.get(measure) ?? 0;
  return { clicks: countOf('clicks'), leads: countOf('leads'), sales: countOf('sales'), commissions };
}
