import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/overview.ts';
import { ApiError, isForbidden } from '../../api/client.ts';
import type { BreakdownReply, SeriesReply, TopReply } from '../../api/types.ts';
import { apiQuery, useApi } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import type { Prefetch } from '../../shell/lazy-page.tsx';
import { Button } from '../../ui/controls.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorNotice } from '../../ui/state.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { refreshMs } from './breakdown.ts';
import { History } from './history.tsx';
import { MeasureStrip } from './measure-strip.tsx';
import { currenciesOf, MEASURES, type MeasureName } from './measures.ts';
import { PeriodChoice } from './period-choice.tsx';
import { breakdownQuery, readView, seriesQuery, topQuery } from './queries.ts';
import { Breakdown, Top } from './rankings.tsx';
import { TaskList, taskQueries, useTasks } from './task-list.tsx';

/** The measures of a program over a period, and its open tasks. */
export function Overview(): JSX.Element {
  const { api, program } = useProgram();
  const [query, change] = useQueryState();
  const view = readView(query, program.data_since);
  const { period, range, measure, by, count, ranking, ranked } = view;
  const tasks = useTasks();
  const series = useApi<SeriesReply>(`${api}/series`, seriesQuery(view));
  const currencies = currenciesOf(series.data, program.currency);
  const currency = currencies.find((code) => code === query['currency']) ?? program.currency;
  const top = useApi<TopReply>(`${api}/top`, topQuery(view, currency));
  const breakdown = useApi<BreakdownReply>(`${api}/breakdown`, breakdownQuery(view), { refreshMs });
  // The tasks are above the measures. Both are shown at the same time, so that the tasks do not push the
  // measures down.
  const isReady = tasks !== undefined && (series.data !== undefined || series.error !== null);
  const reply = isReady ? series.data : undefined;
  const hasBefore = period.days !== null;
  if (series.error && isForbidden(series.error)) {
    return (
      <Page title={common.overview}>
        <ErrorNotice error={series.error} />
      </Page>
    );
  }
  const choose = (name: MeasureName) => change({ measure: name === MEASURES[0].name ? '' : name });
  return (
    <Page title={common.overview} actions={<PeriodChoice />}>
      <div class="stack" key={isReady ? 'ready' : 'loading'}>
        {[series, top, breakdown].some(({ error }) => error instanceof ApiError && error.status === 400) && (
          <div class="notice warn" role="alert">
            <span>{messages.periodTooLong}</span>
            <Button onClick={() => change({ period: '12m' })}>{messages.showYear}</Button>
          </div>
        )}
        {isReady && <TaskList tasks={tasks} />}
        {series.error ? (
          <section class="card" aria-label={measure.text}>
            <div class="chart-room">
              <ErrorNotice error={series.error} onRetry={() => void series.refetch()} />
            </div>
          </section>
        ) : (
          <div aria-busy={series.isPlaceholderData}>
            <MeasureStrip
              measures={MEASURES}
              reply={reply}
              chosen={measure}
              currency={currency}
              isMixed={currencies.length > 1}
              hasBefore={hasBefore}
              onChoose={choose}
            />
            <History
              reply={reply}
              measure={measure}
              currency={currency}
              currencies={currencies}
              range={range}
              hasBefore={hasBefore}
              onCurrency={(code) => change({ currency: code === program.currency ? '' : code })}
            />
          </div>
        )}
        <div class="grid">
          <Top top={top} by={ranking} measure={ranked} currency={currency} />
          <Breakdown reply={breakdown} by={by} count={count} />
        </div>
      </div>
    </Page>
  );
}

/** The requests of the overview. The requests that block the page come first. */
Overview.prefetch = ((client, { api, program, may }, query) => {
  const view = readView(query, program.data_since);
  const queries = [
    apiQuery(`${api}/series`, seriesQuery(view)),
    ...Object.values(taskQueries(api, may)).filter(({ enabled }) => enabled),
    apiQuery(`${api}/top`, topQuery(view, query['currency'] ?? program.currency)),
    apiQuery(`${api}/breakdown`, breakdownQuery(view)),
  ];
  for (const options of queries) void client.prefetchQuery<unknown>(options);
}) satisfies Prefetch;
