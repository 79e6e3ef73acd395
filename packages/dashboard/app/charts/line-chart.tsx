import { max } from 'd3-array';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/charts.ts';
import * as common from '#messages/common.ts';
import { Button } from '../ui/controls.tsx';
import { axisTicks, linearScale, linePath } from './scale.ts';
import { useWidth } from './use-width.ts';

export interface ChartPoint {
  /** The text of the point in the tooltip and in the table. */
  readonly label: string;
  /** A short form of the label for the axis. */
  readonly axis?: string;
  readonly value: number;
  /** The value of the same interval in the previous period. */
  readonly before?: number | undefined;
}

export interface LineChartProps {
  /** The name of the chart for screen readers. */
  readonly title: string;
  readonly points: readonly ChartPoint[];
  readonly format: (value: number) => string;
  /** Short form for the axis. */
  readonly formatAxis: (value: number) => string;
  /** Whether the last interval has not ended yet. If so, its part of the line is dotted. */
  readonly isLastOpen?: boolean;
}

const HEIGHT = 220;
const MARGIN = { top: 12, right: 8, bottom: 24 };
const LABEL_WIDTH = 84;
const DIGIT_WIDTH = 7;
const GAP = 10;

/**
 * A line chart over time, with a second line for the previous period. Users can move along the points with
 * the arrow keys, or open the points as a table.
 */
export function LineChart(props: LineChartProps): JSX.Element {
  const { title, points, format } = props;
  const [isTable, setTable] = useState(false);
  return (
    <figure class="stack tight">
      {isTable ? <ChartTable title={title} points={points} format={format} /> : <Plot {...props} />}
      <div class="row apart chart-end">
        <Button kind="plain" onClick={() => setTable(!isTable)}>
          {isTable ? messages.showChart : messages.showTable}
        </Button>
        {points.some(({ before }) => before !== undefined) && (
          <span class="legend quiet small" aria-hidden="true">
            <span>{messages.thisPeriod}</span>
            <span class="before">{messages.periodBefore}</span>
          </span>
        )}
      </div>
    </figure>
  );
}

function Plot({ title, points, format, formatAxis, isLastOpen = false }: LineChartProps): JSX.Element {
  const [ref, width] = useWidth();
  const [active, setActive] = useState<number | null>(null);
  const last = points.length - 1;
  const ticks = axisTicks(max(points, ({ value, before = 0 }) => Math.max(value, before)) ?? 0);
  const y = linearScale([0, ticks.at(-1) ?? 1], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  // The labels are placed beside the lines, so that nothing is drawn over them.
  const left = GAP + DIGIT_WIDTH * Math.max(...ticks.map((tick) => formatAxis(tick).length));
  const x = linearScale([0, Math.max(1, last)], [left, width - MARGIN.right]);
  const indexes = points.map((_, index) => index);
  const closed = isLastOpen ? indexes.slice(0, -1) : indexes;
  const valueLine = (shown: readonly number[]) =>
    linePath(shown.map((index) => [x(index), y(points[index]?.value ?? 0)]));
  const beforeLine = linePath(points.map(({ before = 0 }, index) => [x(index), y(before)]));
  const fill = `${valueLine(indexes)}V${y(0)}H${x(0)}Z`;
  const every = Math.max(1, Math.ceil(points.length / Math.max(1, Math.floor((width - left) / LABEL_WIDTH))));
  const point = active === null ? undefined : points[active];
  const move = (event: JSX.TargetedPointerEvent<SVGSVGElement>) => {
    const place = x.invert(event.clientX - event.currentTarget.getBoundingClientRect().left);
    setActive(Math.min(last, Math.max(0, Math.round(place))));
  };
  const press = (event: JSX.TargetedKeyboardEvent<HTMLDivElement>) => {
    const next = nextIndex(event.key, active, last);
    if (next === undefined) return;
    event.preventDefault();
    setActive(next);
  };
  return (
    <div
      class="chart"
      ref={ref}
      role="slider"
      tabIndex={0}
      aria-label={title}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={active ?? last}
      aria-valuetext={describePoint(points[active ?? last], format)}
      onKeyDown={press}
      onBlur={() => setActive(null)}
    >
      <svg
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        aria-hidden="true"
        onPointerMove={move}
        onPointerLeave={() => setActive(null)}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line class="gridline" x1={left} x2={width} y1={y(tick)} y2={y(tick)} />
            <text x={left - GAP} y={y(tick) + 4} text-anchor="end">
              {formatAxis(tick)}
            </text>
          </g>
        ))}
        <path class="area" d={fill} />
        {points.some(({ before }) => before !== undefined) && <path class="line before" d={beforeLine} />}
        <path class="line" d={valueLine(closed)} />
        {isLastOpen && <path class="line open" d={valueLine(indexes.slice(-2))} />}
        {points.map(({ label, axis = label }, index) =>
          index % every === 0 && x(index) <= width - LABEL_WIDTH / 2 ? (
            <text key={label} x={x(index)} y={HEIGHT - 6} text-anchor={index === 0 ? 'start' : 'middle'}>
              {axis}
            </text>
          ) : null,
        )}
        {point && active !== null && (
          <>
            <line class="cursor" x1={x(active)} x2={x(active)} y1={MARGIN.top} y2={HEIGHT - MARGIN.bottom} />
            <circle class="dot" cx={x(active)} cy={y(point.value)} r={5} />
          </>
        )}
      </svg>
      {point && active !== null && (
        <div
          class="chart-tip"
          style={
            x(active) < width / 2 ? { left: `${x(active) + 10}px` } : { right: `${width - x(active) + 10}px` }
          }
        >
          <div class="quiet">{point.label}</div>
          <strong>{format(point.value)}</strong>
          {point.before !== undefined && <div class="quiet">{common.periodBefore(format(point.before))}</div>}
        </div>
      )}
    </div>
  );
}

function nextIndex(key: string, active: number | null, last: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, (active ?? last + 1) - 1);
    case 'ArrowRight':
      return Math.min(last, (active ?? last - 1) + 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

function describePoint(point: ChartPoint | undefined, format: (value: number) => string): string {
  return point ? messages.point(point.label, format(point.value)) : messages.noData;
}

function ChartTable({
  title,
  points,
  format,
}: Pick<LineChartProps, 'title' | 'points' | 'format'>): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the region scrolls, so it takes the focus for the arrow keys
    <section class="chart-table" style={{ height: `${HEIGHT}px` }} tabIndex={0} aria-label={title}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{messages.date}</th>
            <th scope="col" class="end">
              {messages.value}
            </th>
            <th scope="col" class="end">
              {messages.periodBefore}
            </th>
          </tr>
        </thead>
        <tbody>
          {points.map(({ label, value, before }) => (
            <tr key={label}>
              <td class="lead">{label}</td>
              <td class="end" data-label={messages.value}>
                {format(value)}
              </td>
              <td class="end" data-label={messages.periodBefore}>
                {before === undefined ? '–' : format(before)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
