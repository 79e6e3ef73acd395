import type { Query } from '../../api/client.ts';
import type { QueryState } from '../../ui/use-query-state.ts';
import { type CountName, countFor, type Dimension, readDimension } from './breakdown.ts';
import { MEASURES, rankedBy, readMeasure } from './measures.ts';
import { type DayRange, type Period, rangeOf, readPeriod } from './period.ts';
import { type Ranking, ROWS, readRanking } from './rankings.tsx';

/** The settings of the overview in the URL. */
export interface OverviewView {
  readonly period: Period;
  readonly range: DayRange;
  readonly measure: ReturnType<typeof readMeasure>;
  readonly by: Dimension;
  readonly count: CountName;
  readonly ranking: Ranking;
  readonly ranked: ReturnType<typeof readMeasure>;
}

/** @param dataSince determines the start of the period "all" (see `rangeOf`) */
export function readView(query: QueryState, dataSince: string): OverviewView {
  const period = readPeriod(query['period']);
  const measure = readMeasure(query['measure']);
  const ranking = readRanking(query['top']);
  return {
    period,
    range: rangeOf(period, dataSince),
    measure,
    by: readDimension(query['by']),
    count: countFor(measure.name),
    ranking,
    ranked: rankedBy(measure, ranking),
  };
}

const SERIES = MEASURES.map(({ name }) => name).join(',');

export function seriesQuery({ range: { dateFrom, dateTo } }: OverviewView): Query {
  return { measures: SERIES, dateFrom, dateTo };
}

export function topQuery(
  { ranking, ranked, range: { dateFrom, dateTo } }: OverviewView,
  currency: string,
): Query {
  const { name: measure, isMoney } = ranked;
  return { by: ranking, measure, ...(isMoney && { currency }), dateFrom, dateTo, limit: ROWS };
}

export function breakdownQuery({ by, count, range: { dateFrom, dateTo } }: OverviewView): Query {
  return { by, measure: count, dateFrom, dateTo, limit: ROWS - 1 };
}
