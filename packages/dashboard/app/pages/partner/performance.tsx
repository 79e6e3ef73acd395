import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/partner.tsx';
import type { ItemReply, Series, SeriesReply } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { LineChart } from '../../charts/line-chart.tsx';
import { formatMoney } from '../../format/money.ts';
import { formatCompact, formatCount, trendOf } from '../../format/number.ts';
import { dayBefore, formatShortDate } from '../../format/time.ts';
import { useProgram } from '../../session/session.tsx';
import { Select } from '../../ui/controls.tsx';
import { Empty, ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';

const PERFORMANCE_DAYS = 90;
const PERFORMANCE_MEASURES = ['clicks', 'leads', 'sales', 'revenue', 'commission'] as const;

/** The partner's measures over the last 90 days. When the user clicks a measure, its chart is shown. */
export function Performance({ partnerId }: { partnerId: string }): JSX.Element {
  const { api, program } = useProgram();
  const [query, change] = useQueryState();
  const reply = useApi<ItemReply<SeriesReply['data']>>(`${api}/series`, {
    measures: PERFORMANCE_MEASURES.join(','),
    partner_id: partnerId,
    dateFrom: dayBefore(PERFORMANCE_DAYS - 1),
  });
  // If only a refresh fails, the page around this section shows the error.
  if (reply.error && !reply.data)
    return <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />;
  const all = reply.data?.data.series;
  const currencies = currenciesOf(all ?? [], program.currency);
  const currency = currencies.find((code) => code === query['currency']) ?? currencies[0];
  const series = all?.filter((one) => one.currency === null || one.currency === currency);
  const chosen = series?.find(({ measure }) => measure === query['measure']) ?? series?.[0];
  const titleOf = ({ measure, currency: own }: Series) =>
    own === null || currencies.length === 1 ? textOf(measure) : messages.measureIn(textOf(measure), own);
  return (
    <section aria-labelledby="performance">
      <div class="row apart section-title">
        <h2 id="performance">{messages.lastDays(PERFORMANCE_DAYS)}</h2>
        {currency !== undefined && currencies.length > 1 && (
          <div class="filters">
            <Select
              label={messages.amountsIn}
              value={currency}
              choices={currencies.map((value) => ({ value, text: messages.inCurrency(value) }))}
              onChange={(value) => change({ currency: value })}
            />
          </div>
        )}
      </div>
      <div class="measures">
        {series
          ? series.map((one) => (
              <button
                key={one.measure}
                type="button"
                class="measure"
                aria-pressed={one === chosen}
                onClick={() => change({ measure: one.measure })}
              >
                <span class="quiet">{titleOf(one)}</span>
                <span class="value">{seriesFormatOf(one)(one.total)}</span>
                <SeriesTrend series={one} />
              </button>
            ))
          : PERFORMANCE_MEASURES.map((name) => (
              <div key={name} class="measure">
                <span class="quiet">{textOf(name)}</span>
                <span class="value">
                  <Skeleton width="72px" height="20px" />
                </span>
                <span class="trend">
                  <Skeleton width="96px" height="12px" />
                </span>
              </div>
            ))}
      </div>
      <div class="card below">
        {chosen?.total === 0 && chosen.previous_total === 0 ? (
          <div class="chart-room">
            <Empty>{messages.nothing}</Empty>
          </div>
        ) : chosen && reply.data ? (
          <LineChart
            title={messages.perDay(titleOf(chosen))}
            points={reply.data.data.times.map((time, index) => ({
              label: formatShortDate(time),
              value: chosen.values[index] ?? 0,
              before: chosen.previous_values[index],
            }))}
            format={seriesFormatOf(chosen)}
            isLastOpen
            formatAxis={chosen.currency === null ? formatCompact : seriesFormatOf(chosen)}
          />
        ) : (
          <Skeleton height="260px" />
        )}
      </div>
    </section>
  );
}

/**
 * Returns the currencies of the amounts. The program's currency comes first, and is the only one if there are
 * no amounts.
 */
function currenciesOf(series: readonly Series[], own: string): readonly string[] {
  const found = new Set<string>();
  for (const { currency, total, previous_total: before } of series) {
    if (currency !== null && (total !== 0 || before !== 0)) found.add(currency);
  }
  if (found.size === 0) return [own];
  return [...found].sort((a, b) => Number(b === own) - Number(a === own) || a.localeCompare(b));
}

function textOf(measure: string): string {
  return messages.measures[measure] ?? measure;
}

function seriesFormatOf({ currency }: Series): (value: number) => string {
  return currency === null ? formatCount : (value) => formatMoney(Math.round(value), currency);
}

function SeriesTrend({ series }: { series: Series }): JSX.Element {
  const format = seriesFormatOf(series);
  const trend = trendOf(series.total, series.previous_total, { isMoney: series.currency !== null, format });
  if (trend === null) return <span class="trend">{messages.noneBefore}</span>;
  if (trend === 'same') return <span class="trend">{common.sameTrend}</span>;
  if (trend === 'new') return <span class="trend up">{common.newTrend}</span>;
  const { direction, change } = trend;
  const text = <span class={`trend ${direction}`}>{messages.changes[direction](change)}</span>;
  return <span class="trend">{messages.changeFrom(text, format(series.previous_total))}</span>;
}
