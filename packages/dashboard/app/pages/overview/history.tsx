import type { JSX } from 'preact';
import * as messages from '#messages/overview.ts';
import type { SeriesReply } from '../../api/types.ts';
import { LineChart } from '../../charts/line-chart.tsx';
import { formatMoneyCompact } from '../../format/money.ts';
import { formatCompact } from '../../format/number.ts';
import { formatDates } from '../../format/time.ts';
import { Select } from '../../ui/controls.tsx';
import { Empty, Skeleton } from '../../ui/state.tsx';
import { useLater } from '../../ui/use-later.ts';
import { formatMeasure, isLastOpen, type Measure, pointsOf, seriesOf } from './measures.ts';
import type { DayRange } from './period.ts';

/** A chart of the chosen measure. */
export function History({
  reply,
  measure,
  currency,
  currencies,
  range,
  hasBefore,
  onCurrency,
}: {
  reply: Pick<SeriesReply, 'data'> | undefined;
  measure: Measure;
  currency: string;
  currencies: readonly string[];
  range: DayRange;
  hasBefore: boolean;
  onCurrency: (currency: string) => void;
}): JSX.Element {
  const isLater = useLater();
  const times = reply?.data.times ?? [];
  const series = reply && seriesOf(reply, measure, currency);
  const isEmpty = !series?.values.some(Boolean) && !(hasBefore && series?.previous_values.some(Boolean));
  return (
    <section class="card history" aria-label={measure.text}>
      <div class="history-head">
        <h2>{measure.text}</h2>
        <span class="quiet small">{messages.inUtc(formatDates(range.dateFrom, range.dateTo))}</span>
        {measure.isMoney && currencies.length > 1 && (
          <div class="row currency">
            <span class="quiet small" aria-hidden="true">
              {messages.amountsIn}
            </span>
            <Select
              label={messages.amountsIn}
              value={currency}
              choices={currencies.map((value) => ({ value, text: value }))}
              onChange={onCurrency}
            />
          </div>
        )}
      </div>
      {reply && isEmpty ? (
        <div class="chart-room">
          <Empty>{messages.nothing}</Empty>
        </div>
      ) : reply && isLater ? (
        <LineChart
          title={measure.isMoney ? messages.measureIn(measure.text, currency) : measure.text}
          points={pointsOf(times, series, { hasBefore })}
          format={(value) => formatMeasure(value, measure, currency)}
          formatAxis={(value) =>
            measure.isMoney ? formatMoneyCompact(value, currency) : formatCompact(value)
          }
          isLastOpen={isLastOpen(times)}
        />
      ) : (
        <div class="chart-room" aria-busy="true">
          <Skeleton height="220px" />
        </div>
      )}
    </section>
  );
}
