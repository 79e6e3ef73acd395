import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/portal-overview.ts';
import { PORTAL_BALANCES, PORTAL_SERIES } from '../../api/portal-requests.ts';
import type { ItemReply, PortalBalance, SeriesReply } from '../../api/types.ts';
import { apiQuery, useApi } from '../../api/use-api.ts';
import { PeriodChoice } from '../../pages/overview/period-choice.tsx';
import type { Prefetch } from '../../shell/lazy-page.tsx';
import { Page } from '../../ui/page.tsx';
import { type QueryState, useQueryState } from '../../ui/use-query-state.ts';
import { type Enrollment, useEnrollment } from '../enrollment.ts';
import { Figures, PORTAL_MEASURES, readPortalDays } from '../figures.tsx';
import { NotEarning } from '../states.tsx';
import { Balances } from './balances.tsx';
import { LatestEarnings, latestQuery } from './latest-earnings.tsx';
import { NextPayout } from './next-payout.tsx';
import { Terms } from './terms.tsx';

/** Terms, balance, next payout, and how the partner's links perform. */
export function PortalOverview(): JSX.Element {
  const enrollment = useEnrollment();
  const [query] = useQueryState();
  const { program } = enrollment;
  const series = useApi<SeriesReply>(PORTAL_SERIES, seriesQuery(enrollment, query));
  const balances = useApi<ItemReply<readonly PortalBalance[]>>(PORTAL_BALANCES, enrollment.query);
  const money = { rows: balances.data?.data, error: balances.error, onRetry: () => void balances.refetch() };
  return (
    <Page title={common.overview}>
      <div class="stack">
        <NotEarning />
        <Balances {...money} currency={program.currency} />
        <section aria-labelledby="figures">
          <div class="row apart section-title">
            <h2 id="figures">{messages.figures}</h2>
            <PeriodChoice />
          </div>
          <Figures series={series} currency={program.currency} range={readPortalDays(query, program)} />
        </section>
        <div class="grid">
          <NextPayout rows={money.rows} program={program} />
          <Terms program={program} />
        </div>
        <LatestEarnings />
      </div>
    </Page>
  );
}

function seriesQuery({ program }: Enrollment, query: QueryState) {
  const { dateFrom, dateTo } = readPortalDays(query, program);
  const measures = PORTAL_MEASURES.map(({ name }) => name).join(',');
  return { program_id: program.program_id, measures, dateFrom, dateTo };
}

PortalOverview.prefetch = ((client, enrollment, query) => {
  for (const request of [
    apiQuery(PORTAL_BALANCES, enrollment.query),
    apiQuery(PORTAL_SERIES, seriesQuery(enrollment, query)),
    latestQuery(enrollment),
  ])
    void client.prefetchQuery<unknown>(request);
}) satisfies Prefetch<Enrollment>;
