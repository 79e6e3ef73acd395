import { nice, ticks } from 'd3-array';

/** A linear scale. `d3-scale` would add 8 KB, because it also handles colors, formats and dates. */
export interface Scale {
  (value: number): number;
  readonly invert: (position: number) => number;
}

export function linearScale(
  [from, to]: readonly [number, number],
  [start, end]: readonly [number, number],
): Scale {
  const scale = (value: number) => start + ((value - from) / (to - from)) * (end - start);
  const invert = (position: number) => from + ((position - start) / (end - start)) * (to - from);
  return Object.assign(scale, { invert });
}

const TICKS = 4;

/** Returns round whole numbers for an axis that starts at 0 and shows values up to `largest`. */
export function axisTicks(largest: number): readonly number[] {
  // An axis from 0 to 0 would have no height, so the axis always reaches at least 1.
  const [, end] = nice(0, Math.max(1, largest), TICKS);
  return ticks(0, end, TICKS).filter(Number.isInteger);
}

/**
 * Returns the `d` attribute of straight lines between the points. `d3-shape` would add 2 KB, because it also
 * draws curves.
 */
export function linePath(points: readonly (readonly [x: number, y: number])[]): string {
  return points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x},${y}`).join('');
}
