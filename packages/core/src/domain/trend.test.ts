import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { averageAmount, compareFigures, percentOf } from './trend.ts';

describe('compareFigures', () => {
  test.each([
    [0, 0, 0, 'stable'],
    [7, 7, 0, 'stable'],
    [1, 0, 100, 'up'],
    [5_000, 0, 100, 'up'],
    [0, 4, 100, 'down'],
    [3, 2, 50, 'up'],
    [2, 3, 33.3, 'down'],
    [1, 3, 66.7, 'down'],
    [30, 2, 1400, 'up'],
    [2001, 2000, 0.1, 'up'],
    [10_001, 10_000, 0, 'up'],
  ] as const)('%d after %d is a change of %d percent, %s', (current, previous, trend, trendDirection) => {
    expect(compareFigures(current, previous)).toEqual({ trend, trendDirection });
  });

  test('returns an unsigned trend with at most one decimal', () => {
    const figure = fc.nat({ max: 999_999_999_999 });
    fc.assert(
      fc.property(figure, figure, (current, previous) => {
        const { trend, trendDirection } = compareFigures(current, previous);
        expect(trend).toBeGreaterThanOrEqual(0);
        expect(String(trend)).toMatch(/^\d+(\.\d)?$/);
        expect(trendDirection).toBe(current === previous ? 'stable' : current > previous ? 'up' : 'down');
      }),
    );
  });
});

test.each([
  [0, 0, 0],
  [1, 0, 0],
  [0, 9, 0],
  [1, 3, 33.33],
  [2, 3, 66.67],
  [1, 800, 0.13],
  [3, 2, 150],
])('%d of %d is %d percent', (part, whole, percent) => {
  expect(percentOf(part, whole)).toBe(percent);
});

test.each([
  [0, 'USD', 0, 0],
  [1999, 'USD', 0, 0],
  [1999, 'USD', 1, 19.99],
  [1000, 'USD', 3, 3.33],
  [2000, 'USD', 3, 6.67],
  [1000, 'JPY', 3, 333.33],
  [1000, 'KWD', 3, 0.333],
  [999_999_999_999, 'USD', 7, 1_428_571_428.57],
])('averageAmount(%d, %s, %d) returns %d', (cents, currency, count, average) => {
  expect(averageAmount(cents, currency, count)).toBe(average);
});
