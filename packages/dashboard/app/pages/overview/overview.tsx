import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import { isForbidden } from '../../api/client.ts';
import type { BreakdownReply, SeriesReply, TopReply } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorNotice } from '../../ui/state.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { countFor, readDimension, refreshMs } from './breakdown.ts';
import { History } from './history.tsx';
import { MeasureStrip } from './measure-strip.tsx';
import { currenciesOf, MEASURES, type MeasureName, rankedBy, readMeasure } from './measures.ts';
import { rangeOf, readPeriod } from './period.ts';
import { PeriodChoice } from './period-choice.tsx';
import { Breakdown, ROWS, readRanking, Top } from './rankings.tsx';
import { TaskList, useTasks } from './task-list.tsx';

const SERIES = MEASURES.map(({ name }) => name).join(',');

/** The figures of a program in a period, and its open tasks. */
export function Overview(): JSX.Element {
  const { api, program } = useProgram();
  const [query, change] = useQueryState();
  const period = readPeriod(query['period']);
  const range = rangeOf(period, program.created_at);
  const { dateFrom, dateTo } = range;
  const measure = readMeasure(query['measure']);
  const by = readDimension(query['by']);
  const count = countFor(measure.name);
  const tasks = useTasks();
  const series = useApi<SeriesReply>(`${api}/series`, { measures: SERIES, dateFrom, dateTo });
  const currencies = currenciesOf(series.data, program.currency);
  const currency = currencies.find((code) => code === query['currency']) ?? program.currency;
  const ranking = readRanking(query['top']);
  const ranked = rankedBy(measure, ranking);
  const top = useApi<TopReply>(`${api}/top`, {
    by: ranking,
    measure: ranked.name,
    ...(ranked.isMoney && { currency }),
    dateFrom,
    dateTo,
    limit: ROWS,
  });
  const breakdown = useApi<BreakdownReply>(
    `${api}/breakdown`,
    { by, measure: count, dateFrom, dateTo, limit: ROWS - 1 },
    { refreshMs },
  );
  // Tasks are above everything else, so they appear together with the figures, which they would move.
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
        {isReady && <TaskList tasks={tasks} />}
        {series.error ? (
          <section class="card" aria-label={measure.text}>
            <div class="chart-room">
              <ErrorNotice error={series.error} onRetry={() => void series.refetch()} />
            </div>
          </section>
        ) : (
          <div>
            <MeasureStrip
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
