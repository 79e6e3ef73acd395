import { expect, test } from 'vitest';
import { simulatedDays } from './trace.ts';

test.each([
  [0.4, 30, 0],
  [29.99, 30, 29],
  [30, 30, 30],
  [30.01, 30, 31],
  [45, 30, 45],
])(
  '%s days with a window of %s days are rounded to %s days on the same side of the window’s end',
  (days, windowDays, whole) => {
    expect(simulatedDays(days, windowDays)).toBe(whole);
  },
);
