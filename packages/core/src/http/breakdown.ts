import { breakdownQuery } from '@affkit/protocol';
import type { BreakdownMeasure } from '../domain/breakdown.ts';
import { DAY_MS, isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { isRejection } from '../rejection.ts';
import { readBreakdown } from '../reporting/breakdowns.ts';
import { seriesDaysOf } from '../reporting/series.ts';
import type { BreakdownSum } from '../storage/reads/breakdowns.ts';
import { type Route, route } from './route.ts';

export const breakdownRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/advertiser/affiliate-programs/:id/breakdown',
    readsReplica: true,
    access: { kind: 'management', scope: 'dashboard:view', program: true },
    query: breakdownQuery,
    handle: async (runtime, { query, caller: { program } }) => {
      const { by, measure = 'clicks', limit, dateFrom, dateTo } = query;
      const days = seriesDaysOf({ dateFrom, dateTo }, runtime.now());
      if (isRejection(days)) return days;
      const { sums, asOf } = await readBreakdown(runtime, program.id, by, days);
      return {
        body: {
          success: true,
          data: toBreakdownRows(sums, measure, limit),
          meta: {
            by,
            dateFrom: isoTime(days.from * DAY_MS),
            dateTo: isoTime((days.to + 1) * DAY_MS - 1),
            as_of: isoTimeOrNull(asOf),
          },
        },
      };
    },
  }),
];

type MeasureSums = Map<BreakdownMeasure, number>;

function toBreakdownRows(
  sums: readonly BreakdownSum[],
  measure: 'clicks' | 'leads' | 'sales',
  limit: number,
) {
  const sumsByValue = new Map<string, MeasureSums>();
  const otherSums: MeasureSums = new Map();
  for (const row of sums) {
    const rowSums = row.isOther ? otherSums : (sumsByValue.get(row.value) ?? new Map());
    if (!row.isOther) sumsByValue.set(row.value, rowSums);
    rowSums.set(row.measure, row.total);
  }
  const ranked = [...sumsByValue].sort(
    ([valueA, a], [valueB, b]) => (b.get(measure) ?? 0) - (a.get(measure) ?? 0) || (valueA < valueB ? -1 : 1),
  );
  for (const [, rest] of ranked.slice(limit)) {
    for (const [name, total] of rest) otherSums.set(name, (otherSums.get(name) ?? 0) + total);
  }
  const rows = ranked
    .slice(0, limit)
    .map(([value, own]) => toBreakdownRow(value === '' ? null : value, false, own));
  return otherSums.size === 0 ? rows : [...rows, toBreakdownRow(null, true, otherSums)];
}

function toBreakdownRow(value: string | null, isOther: boolean, sums: MeasureSums) {
  const revenue = [...sums]
    .filter(([measure]) => measure.startsWith('revenue:'))
    .map(([measure, cents]) => ({ currency: measure.slice('revenue:'.length), amount_cents: cents }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
  return {
    value,
    is_other: isOther,
    clicks: sums.get('clicks') ?? 0,
    leads: sums.get('leads') ?? 0,
    sales: sums.get('sales') ?? 0,
    revenue,
  };
}
