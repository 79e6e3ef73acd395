import type { JSX } from 'preact';
import type { SeriesReply } from '../../api/types.ts';
import { Skeleton } from '../../ui/state.tsx';
import { formatMeasure, MEASURES, type Measure, type MeasureName, seriesOf, trendOf } from './measures.ts';

const SIGNS = { up: '↑ ', down: '↓ ', same: '' } as const;
const WORDS = { up: 'Up ', down: 'Down ', same: '' } as const;

/** The total of each measure with its change. The pressed one is in the chart. */
export function MeasureStrip({
  reply,
  chosen,
  currency,
  hasBefore,
  onChoose,
}: {
  reply: SeriesReply | undefined;
  chosen: Measure;
  currency: string;
  hasBefore: boolean;
  onChoose: (name: MeasureName) => void;
}): JSX.Element {
  return (
    <fieldset class="measures" aria-label="Measures" aria-busy={reply === undefined}>
      {MEASURES.map((measure) => (
        <button
          key={measure.name}
          type="button"
          class="measure"
          aria-pressed={measure === chosen}
          onClick={() => onChoose(measure.name)}
        >
          <span class="quiet">{measure.text}</span>
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
  reply: SeriesReply | undefined;
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
  const trend = hasBefore ? trendOf(total, before) : null;
  return (
    <>
      <span class="value">{formatMeasure(total, measure, currency)}</span>
      {trend === null || trend.direction === 'same' ? (
        <span class="trend">{trend?.text ?? '–'}</span>
      ) : (
        <span
          class={`trend ${trend.direction}`}
          title={`Period before: ${formatMeasure(before, measure, currency)}`}
        >
          <span aria-hidden="true">{trend.text === 'New' ? '' : SIGNS[trend.direction]}</span>
          <span class="hidden">{trend.text === 'New' ? '' : WORDS[trend.direction]}</span>
          {trend.text}
        </span>
      )}
    </>
  );
}
