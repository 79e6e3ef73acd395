import { expect, test } from 'vitest';
import { axisTicks, linearScale } from './scale.ts';

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [204, [0, 50, 100, 150, 200, 250]],
  [999_999_999_999, [0, 200, 400, 600, 800, 1000].map((billions) => billions * 10 ** 9)],
])('the axis of values up to %i has round whole numbers and reaches that value', (largest, ticks) => {
  expect(axisTicks(largest)).toEqual(ticks);
});

test('a scale maps values to positions and back', () => {
  const scale = linearScale([0, 10], [200, 0]);
  expect([scale(0), scale(5), scale(10), scale.invert(150)]).toEqual([200, 100, 0, 2.5]);
});
