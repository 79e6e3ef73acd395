import { nice, ticks } from 'd3-array';

/** A linear scale. `d3-scale` also handles colours, formats and dates, which costs 8 KB. */
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

/** Round whole numbers for the axis of values up to `largest`, from 0 to the end of the axis. */
export function axisTicks(largest: number): readonly number[] {
  // An axis with only the value 0 would have no height.
  const [, end] = nice(0, Math.max(1, largest), TICKS);
  return ticks(0, end, TICKS).filter(Number.isInteger);
}

/** The `d` attribute of straight lines between the points. `d3-shape` also draws curves, which costs 2 KB. */
export function linePath(points: readonly (readonly [x: number, y: number])[]): string {
  return points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x},${y}`).join('');
}
