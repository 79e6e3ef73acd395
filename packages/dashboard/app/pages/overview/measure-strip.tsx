import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/overview.ts';
import type { SeriesReply } from '../../api/types.ts';
import { type Trend, trendOf } from '../../format/number.ts';
import { Skeleton } from '../../ui/state.tsx';
import { formatMeasure, type Measure, seriesOf } from './measures.ts';

type SeriesData = Pick<SeriesReply, 'data'>;

const SIGNS = { up: '↑', down: '↓' } as const;

/**
 * A button for each measure, with its total and its change compared with the previous period. The chart shows
 * the measure of the pressed button.
 */
export function MeasureStrip<Name extends string>({
  measures,
  reply,
  chosen,
  currency,
  isMixed,
  hasBefore,
  onChoose,
}: {
  measures: readonly Measure<Name>[];
  reply: SeriesData | undefined;
  chosen: Measure;
  currency: string;
  /** Whether there are amounts in other currencies. */
  isMixed: boolean;
  hasBefore: boolean;
  onChoose: (name: Name) => void;
}): JSX.Element {
  return (
    <fieldset class="measures" aria-label={messages.measures} aria-busy={reply === undefined}>
      {measures.map((measure) => (
        <button
          key={measure.name}
          type="button"
          class="measure"
          aria-pressed={measure.name === chosen.name}
          onClick={() => onChoose(measure.name)}
        >
          <span class="quiet">
            {isMixed && measure.isMoney ? messages.measureIn(measure.text, currency) : measure.text}
          </span>
          <Figures reply={reply} measure={measure} currency={currency} hasBefore={hasBefore} />
        </button>
      ))}
    </fieldset>
  );
}

function Figures({
  reply,
  measure,
  currency,
  hasBefore,
}: {
  reply: SeriesData | undefined;
  measure: Measure;
  currency: string;
  hasBefore: boolean;
}): JSX.Element {
  if (!reply) {
    return (
      <>
        <span class="value">
          <Skeleton width="72px" height="20px" />
        </span>
        <span class="trend">
          <Skeleton width="48px" height="12px" />
        </span>
      </>
    );
  }
  const { total = 0, previous_total: before = 0 } = seriesOf(reply, measure, currency) ?? {};
  const format = (value: number) => formatMeasure(value, measure, currency);
  const trend = hasBefore ? trendOf(total, before, { isMoney: measure.isMoney, format }) : null;
  return (
    <>
      <span class="value">{format(total)}</span>
      <TrendText trend={trend} before={format(before)} />
    </>
  );
}

function TrendText({ trend, before }: { trend: Trend | null; before: string }): JSX.Element {
  if (trend === null) return <span class="trend">–</span>;
  if (trend === 'same') return <span class="trend">{common.sameTrend}</span>;
  const title = common.periodBefore(before);
  if (trend === 'new') {
    return (
      <span class="trend up" title={title}>
        {common.newTrend}
      </span>
    );
  }
  const { direction, change } = trend;
  return (
    <span class={`trend ${direction}`} title={title}>
      <span aria-hidden="true">
        {SIGNS[direction]} {change}
      </span>
      <span class="hidden">{messages.trends[direction](change)}</span>
    </span>
  );
}
