import type { portalLinkSeriesQuery, portalSeriesQuery } from '@affkit/protocol';
import type { z } from 'zod';
import { isoTimeOrNull } from '../domain/calendar.ts';
import { type DayRange, previousDays } from '../domain/period.ts';
import { isRejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { listLinkTotalsByDay, listSubIds, sumLinkTotals, sumSubIds } from '../storage/reads/link-totals.ts';
import { findLinkTotalsAsOf } from './link-totals.ts';
import { readSeries, seriesBoundsOf, seriesDaysOf, seriesOf } from './series.ts';

const PORTAL_SERIES = ['clicks', 'leads', 'conversions', 'sales', 'commission'] as const;
const LINK_SERIES = ['clicks', 'leads', 'sales', 'commission'] as const;

interface PortalProgram {
  readonly id: number;
  readonly currency: string;
}

/** Reads the daily figures of a partner in a program. */
export function readPortalSeries(
  runtime: Runtime,
  program: PortalProgram,
  partnerId: number,
  { program_id: _program, measures = [...PORTAL_SERIES], ...days }: z.output<typeof portalSeriesQuery>,
) {
  return readSeries(runtime, program, { ...days, measures, unit: 'day', partner_id: partnerId });
}

/** The figures of a link or a sub-id. Refunds are not deducted from the earnings. */
export interface LinkFigures {
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly earnings: readonly { readonly currency: string; readonly amount_cents: number }[];
}

/** Reads the all-time figures of the links. @returns a function that returns the figures of a link id */
export async function readLinkFigures(
  { engine }: Pick<Runtime, 'engine'>,
  programIds: readonly number[],
  linkIds: readonly number[],
): Promise<(linkId: number) => LinkFigures> {
  const sums = linkIds.length === 0 ? [] : await sumLinkTotals(engine.read, programIds, linkIds);
  const byLink = Map.groupBy(sums, ({ linkId }) => linkId);
  return (linkId) => figuresOf(byLink.get(linkId) ?? []);
}

/** Reads the daily figures of a link or of one of its sub-ids. */
export async function readLinkSeries(
  runtime: Runtime,
  program: PortalProgram,
  linkId: number,
  { sub_id, ...query }: z.output<typeof portalLinkSeriesQuery>,
) {
  const days = seriesDaysOf(query, runtime.now());
  if (isRejection(days)) return days;
  const previous = previousDays(days);
  const asOf = await findLinkTotalsAsOf(runtime, program.id);
  const range = { from: previous.from, to: days.to };
  const selection = { programId: program.id, linkId, subId: sub_id ?? null };
  const totals = await listLinkTotalsByDay(runtime.engine.read, selection, range);
  const { data, meta } = seriesOf({
    unit: 'day',
    days,
    previous,
    measures: LINK_SERIES,
    totals,
    currency: program.currency,
  });
  return { data, meta: { ...meta, as_of: isoTimeOrNull(asOf) } };
}

interface SubIdFigures extends LinkFigures {
  readonly sub_id: string | null;
}

/** Reads a page of a link's sub-ids with their figures for a range of days, most clicks first. */
export async function readSubIds(
  runtime: Pick<Runtime, 'engine' | 'now'>,
  ofLink: { readonly programId: number; readonly linkId: number },
  days: DayRange,
  range: { readonly offset: number; readonly limit: number },
): Promise<{ readonly rows: readonly SubIdFigures[]; readonly total: number; readonly meta: object }> {
  const asOf = await findLinkTotalsAsOf(runtime, ofLink.programId);
  const { subIds, total } = await listSubIds(runtime.engine, ofLink, days, range);
  const sums = Map.groupBy(await sumSubIds(runtime.engine.read, ofLink, days, subIds), ({ subId }) => subId);
  const rows = subIds.map((subId) => ({
    sub_id: subId === '' ? null : subId,
    ...figuresOf(sums.get(subId) ?? []),
  }));
  return { rows, total, meta: { ...seriesBoundsOf(days), as_of: isoTimeOrNull(asOf) } };
}

function figuresOf(sums: readonly { readonly measure: string; readonly total: number }[]): LinkFigures {
  const countOf = (name: string) => sums.find(({ measure }) => measure === name)?.total ?? 0;
  const earnings = sums.flatMap(({ measure, total }) => {
    const [name, currency] = measure.split(':');
    return name === 'commission' && currency !== undefined ? [{ currency, amount_cents: total }] : [];
  });
  return {
    clicks: countOf('clicks'),
    leads: countOf('leads'),
    sales: countOf('sales'),
    earnings: earnings.sort((a, b) => (a.currency < b.currency ? -1 : 1)),
  };
}
