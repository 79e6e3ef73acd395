import { DAY_MS, isoDate, isoTime, utcDay } from '../domain/calendar.ts';
import { toMajorUnits } from '../domain/money.ts';
import { countDays, type DayRange, type Period, previousDays } from '../domain/period.ts';
import { averageAmount, compareFigures, percentOf } from '../domain/trend.ts';
import type { Runtime } from '../runtime.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { type DailyTotal, findFirstDay, listDailyTotals } from '../storage/reads/daily-totals.ts';

/**
 * The reply of the performance route: one row per day, the sums, and their trends compared with the previous
 * period.
 */
export interface Performance {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
}

/**
 * Reads a program's performance from its daily totals. The cost therefore does not depend on the number of
 * events.
 */
export async function readPerformance(
  runtime: Runtime,
  program: ProgramAccount,
  period: Period,
): Promise<Performance> {
  const { read } = runtime.engine;
  const days = period.days ?? (await allDaysWithData(runtime, program));
  const before = previousDays(days);
  const totals = await listDailyTotals(read, program.id, { from: before.from, to: days.to });
  const currentTotals = totals.filter(({ day }) => day >= days.from);
  const previousTotals = totals.filter(({ day }) => day < days.from);
  return {
    data: listPerformanceDays(days, currentTotals, program.currency),
    metrics: {
      ...computePerformanceMetrics(
        sumByMeasure(currentTotals),
        sumByMeasure(previousTotals),
        program.currency,
      ),
      other_currencies: listOtherCurrencies(sumByMeasure(currentTotals), program.currency),
    },
    meta: {
      period: period.name,
      ...describePeriodBounds(days),
      previousPeriod: describePeriodBounds(before),
    },
  };
}

/** The range from the first day with data to today. */
async function allDaysWithData(runtime: Runtime, program: ProgramAccount): Promise<DayRange> {
  const today = utcDay(runtime.now());
  const first = await findFirstDay(runtime.engine.read, program.id);
  return { from: Math.min(first ?? today, today), to: today };
}

/** Sums by measure, such as `clicks` or `revenue:USD`. */
type PerformanceSums = ReadonlyMap<string, number>;

function sumByMeasure(totals: readonly DailyTotal[]): PerformanceSums {
  const figures = new Map<string, number>();
  for (const { measure, value } of totals) figures.set(measure, (figures.get(measure) ?? 0) + value);
  return figures;
}

function listPerformanceDays(days: DayRange, totals: readonly DailyTotal[], currency: string) {
  const byDay = Map.groupBy(totals, ({ day }) => day);
  return Array.from({ length: countDays(days) }, (_, index) => {
    const day = days.from + index;
    const figures = sumByMeasure(byDay.get(day) ?? []);
    const date = isoDate(day);
    return {
      date,
      period: date,
      clicks: figures.get('clicks') ?? 0,
      leads: figures.get('signups') ?? 0,
      conversions: figures.get('first_purchases') ?? 0,
      revenue: toMajorUnits(figures.get(`revenue:${currency}`) ?? 0, currency),
      partners: figures.get('partners') ?? 0,
      // The API contract requires that this field is always 0.
      sales: 0,
      commission: toMajorUnits(figures.get(`commission:${currency}`) ?? 0, currency),
    };
  });
}

function computePerformanceMetrics(current: PerformanceSums, previous: PerformanceSums, currency: string) {
  const figure = (measure: string) => current.get(measure) ?? 0;
  const trend = (measure: string) => compareFigures(figure(measure), previous.get(measure) ?? 0);
  const revenue = `revenue:${currency}`;
  const commission = `commission:${currency}`;
  return {
    totalClicks: figure('clicks'),
    totalLeads: figure('signups'),
    totalConversions: figure('first_purchases'),
    totalRevenue: toMajorUnits(figure(revenue), currency),
    conversionRate: percentOf(figure('first_purchases'), figure('clicks')),
    averageOrderValue: averageAmount(figure(revenue), currency, figure('first_purchases')),
    totalPartners: figure('partners'),
    totalSales: figure('sales'),
    totalPartnersCommission: toMajorUnits(figure(commission), currency),
    clicksTrend: trend('clicks'),
    leadsTrend: trend('signups'),
    conversionsTrend: trend('first_purchases'),
    revenueTrend: trend(revenue),
    partnersTrend: trend('partners'),
    salesTrend: trend('sales'),
    commissionTrend: trend(commission),
  };
}

/** Lists revenue and commissions in currencies other than the program's. Amounts are never converted. */
function listOtherCurrencies(figures: PerformanceSums, programCurrency: string) {
  const currencies = [...figures.keys()].flatMap((measure) => {
    const [name, currency] = measure.split(':');
    return currency !== undefined && (name === 'revenue' || name === 'commission') ? [currency] : [];
  });
  return [...new Set(currencies)]
    .filter((currency) => currency !== programCurrency)
    .sort()
    .map((currency) => ({
      currency,
      totalRevenue: toMajorUnits(figures.get(`revenue:${currency}`) ?? 0, currency),
      totalPartnersCommission: toMajorUnits(figures.get(`commission:${currency}`) ?? 0, currency),
    }));
}

function describePeriodBounds({ from, to }: DayRange) {
  return {
    dateFrom: isoTime(from * DAY_MS),
    dateTo: isoTime((to + 1) * DAY_MS - 1),
  };
}
