import { describe, expect, test } from 'vitest';
import type { Series, SeriesReply } from '../../api/types.ts';
import { currenciesOf, isLastOpen, pointsOf, rankedBy, readMeasure, seriesOf } from './measures.ts';

const DAY_MS = 86_400_000;

function days(count: number): string[] {
  const first = Date.parse('2026-01-01T00:00:00Z');
  return Array.from({ length: count }, (_, index) => new Date(first + index * DAY_MS).toISOString());
}

function series(fields: Partial<Series>): Series {
  return {
    measure: 'clicks',
    currency: null,
    values: [],
    total: 0,
    previous_values: [],
    previous_total: 0,
    ...fields,
  };
}

function replyOf(...all: readonly Series[]): SeriesReply {
  const bounds = { date_from: '', date_to: '' };
  return {
    success: true,
    data: { unit: 'day', times: [], series: [...all] },
    meta: { ...bounds, previous: bounds },
  };
}

describe('currencies', () => {
  const revenue = { measure: 'revenue', total: 1 } as const;
  const reply = replyOf(
    series({ ...revenue, currency: 'USD', total: 5 }),
    series({ ...revenue, currency: 'KWD' }),
    series({ ...revenue, currency: 'EUR', total: 0, previous_total: 7 }),
    series({ ...revenue, currency: 'JPY', total: 0 }),
  );

  test('the program’s currency is first, and currencies without amounts are left out', () => {
    expect(currenciesOf(reply, 'GBP')).toEqual(['GBP', 'EUR', 'KWD', 'USD']);
    expect(currenciesOf(undefined, 'GBP')).toEqual(['GBP']);
  });

  test('an amount is the total of one currency, never a sum of currencies', () => {
    expect(seriesOf(reply, readMeasure('revenue'), 'USD')?.total).toBe(5);
    expect(seriesOf(reply, readMeasure('revenue'), 'GBP')).toBeUndefined();
  });
});

describe('points', () => {
  test('a short range has one point for each day, with the value of the previous period', () => {
    const values = series({ values: [1, 2], previous_values: [3, 4] });
    expect(pointsOf(days(2), values, { hasBefore: true })).toEqual([
      { label: 'Jan 1, 2026', axis: 'Jan 1', value: 1, before: 3 },
      { label: 'Jan 2, 2026', axis: 'Jan 2', value: 2, before: 4 },
    ]);
  });

  test('a year has one point for each week, with the sum of its days', () => {
    const points = pointsOf(days(364), series({ values: Array(364).fill(2) }), { hasBefore: false });
    expect(points).toHaveLength(52);
    expect(points[0]).toEqual({
      label: 'Jan 1\u2009–\u20097, 2026',
      axis: 'Jan 1',
      value: 14,
      before: undefined,
    });
  });

  test('a longer range shows months on the axis, and each point has a different label', () => {
    const points = pointsOf(days(2800), undefined, { hasBefore: false });
    expect(points).toHaveLength(100);
    expect(points[0]).toMatchObject({ axis: 'Jan 2026', value: 0 });
    expect(new Set(points.map(({ label }) => label)).size).toBe(100);
  });
});

test('the last interval is open until its day ends', () => {
  const [time = ''] = days(1);
  expect(isLastOpen([time], Date.parse(time) + DAY_MS - 1)).toBe(true);
  expect(isLastOpen([time], Date.parse(time) + DAY_MS)).toBe(false);
  expect(isLastOpen([])).toBe(false);
});

test.each([
  ['revenue', 'partner', 'revenue'],
  ['conversions', 'partner', 'sales'],
  ['revenue', 'link', 'clicks'],
] as const)('with %s, a %s is ranked by %s', (name, by, ranked) => {
  expect(rankedBy(readMeasure(name), by).name).toBe(ranked);
});
