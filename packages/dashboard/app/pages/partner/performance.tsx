import type { JSX } from 'preact';
import * as messages from '#messages/partner.tsx';
import type { ItemReply, Series, SeriesReply } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { LineChart } from '../../charts/line-chart.tsx';
import { formatMoney } from '../../format/money.ts';
import { changeOf, formatCompact, formatCount, formatPercent } from '../../format/number.ts';
import { dayBefore, formatShortDate } from '../../format/time.ts';
import { useProgram } from '../../session/session.tsx';
import { Select } from '../../ui/controls.tsx';
import { ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';

const PERFORMANCE_DAYS = 90;
/** A percentage above this says less than the value before. */
const MAX_RATIO = 10;
const PERFORMANCE_MEASURES = ['clicks', 'leads', 'sales', 'revenue', 'commission'] as const;

/** The partner's figures of the last 90 days. A click on one of them shows its chart. */
export function Performance({ partnerId }: { partnerId: string }): JSX.Element {
  const { api, program } = useProgram();
  const [query, change] = useQueryState();
  const reply = useApi<ItemReply<SeriesReply['data']>>(`${api}/series`, {
    measures: PERFORMANCE_MEASURES.join(','),
    partner_id: partnerId,
    dateFrom: dayBefore(PERFORMANCE_DAYS - 1),
  });
  if (reply.error) return <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />;
  const all = reply.data?.data.series;
  const currencies = currenciesWithAmounts(all ?? [], program.currency);
  const currency = currencies.find((code) => code === query['currency']) ?? currencies[0];
  const series = all?.filter((one) => one.currency === null || one.currency === currency);
  const chosen = series?.find(({ measure }) => measure === query['measure']) ?? series?.[0];
  return (
    <section aria-labelledby="performance">
      <div class="row apart section-title">
        <h2 id="performance">{messages.lastDays(PERFORMANCE_DAYS)}</h2>
        {currency !== undefined && currencies.length > 1 && (
          <div class="row">
            <span class="quiet small" aria-hidden="true">
              {messages.amountsIn}
            </span>
            <Select
              label={messages.amountsIn}
              value={currency}
              choices={currencies.map((value) => ({ value, text: value }))}
              onChange={(code) => change({ currency: code })}
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
                <span class="quiet">{seriesTitleOf(one)}</span>
                <span class="value">{seriesFormatOf(one)(one.total)}</span>
                <SeriesTrend series={one} />
              </button>
            ))
          : PERFORMANCE_MEASURES.map((name) => (
              <div key={name} class="measure">
                <span class="quiet">{messages.measures[name]}</span>
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
        {chosen && reply.data ? (
          <LineChart
            title={messages.perDay(seriesTitleOf(chosen))}
            points={reply.data.data.times.map((time, index) => ({
              label: formatShortDate(time),
              value: chosen.values[index] ?? 0,
              before: chosen.previous_values[index],
            }))}
            format={seriesFormatOf(chosen)}
            formatAxis={chosen.currency === null ? formatCompact : seriesFormatOf(chosen)}
          />
        ) : (
          <Skeleton height="260px" />
        )}
      </div>
    </section>
  );
}

/** The currencies of the partner's amounts, the program's first; the program's alone without any. */
function currenciesWithAmounts(series: readonly Series[], own: string): readonly string[] {
  const found = series
    .filter(({ total, previous_total }) => total !== 0 || previous_total !== 0)
    .flatMap(({ currency }) => currency ?? []);
  const currencies = [...new Set(found)].sort((a, b) => Number(b === own) - Number(a === own));
  return currencies.length > 0 ? currencies : [own];
}

function seriesTitleOf({ measure, currency }: Series): string {
  const text = messages.measures[measure] ?? measure;
  return currency === null ? text : messages.measureIn(text, currency);
}

function seriesFormatOf({ currency }: Series): (value: number) => string {
  return currency === null ? formatCount : (value) => formatMoney(Math.round(value), currency);
}

function SeriesTrend({ series }: { series: Series }): JSX.Element {
  const ratio = changeOf(series.total, series.previous_total);
  if (ratio === null) return <span class="trend">{messages.noneBefore}</span>;
  if (ratio === 'new') return <span class="trend up">{messages.isNew}</span>;
  const before = seriesFormatOf(series)(series.previous_total);
  if (ratio > MAX_RATIO) return <span class="trend">{messages.upFrom(before)}</span>;
  const isUp = ratio >= 0;
  const change = (
    <span class={isUp ? 'trend up' : 'trend down'}>
      {isUp ? '+' : ''}
      {formatPercent(ratio)}
    </span>
  );
  return <span class="trend">{messages.changeFrom(change, before)}</span>;
}
