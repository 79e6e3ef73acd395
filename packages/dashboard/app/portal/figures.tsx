import type { UseQueryResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as portal from '#messages/portal.tsx';
import type { PortalProgram, SeriesReply } from '../api/types.ts';
import { History } from '../pages/overview/history.tsx';
import { MeasureStrip } from '../pages/overview/measure-strip.tsx';
import { currenciesOf, type Measure } from '../pages/overview/measures.ts';
import { type DayRange, rangeOf, readPeriod } from '../pages/overview/period.ts';
import { ErrorNotice } from '../ui/state.tsx';
import { type QueryState, useQueryState } from '../ui/use-query-state.ts';

/** The measures that a partner sees, in their order. */
export const PORTAL_MEASURES: readonly [Measure, ...Measure[]] = [
  { name: 'clicks', text: common.clicks, isMoney: false },
  { name: 'leads', text: common.signUps, isMoney: false },
  { name: 'sales', text: common.sales, isMoney: false },
  { name: 'commission', text: portal.earnedBeforeRefunds, isMoney: true },
];

/**
 * Returns the days of the period in the URL. The period "all" starts at least 90 days before the partner's first
 * data, because events may be reported up to 90 days late. It is limited to about ten years.
 */
export function readPortalDays(query: QueryState, { data_since }: PortalProgram): DayRange {
  return rangeOf(readPeriod(query['period']), data_since);
}

/** The measures of a period: a button for each measure, and the chart of the chosen measure. */
export function Figures({
  series,
  currency: own,
  range,
}: {
  series: UseQueryResult<Pick<SeriesReply, 'data'>, Error>;
  /** Currency of the program. */
  currency: string;
  range: DayRange;
}): JSX.Element {
  const [query, change] = useQueryState();
  // The list of sub-ids below depends on neither measure nor currency, so it keeps its page.
  const { page = '' } = query;
  const { data: reply, error } = series;
  // The longest period has no previous period.
  const hasBefore = readPeriod(query['period']).days !== null;
  const [first] = PORTAL_MEASURES;
  const measure = PORTAL_MEASURES.find(({ name }) => name === query['measure']) ?? first;
  const currencies = currenciesOf(reply, own);
  const currency = currencies.find((code) => code === query['currency']) ?? own;
  if (error) return <ErrorNotice error={error} onRetry={() => void series.refetch()} />;
  return (
    <div aria-busy={series.isPlaceholderData}>
      <MeasureStrip
        measures={PORTAL_MEASURES}
        reply={reply}
        chosen={measure}
        currency={currency}
        isMixed={currencies.length > 1}
        hasBefore={hasBefore}
        onChoose={(name) => change({ measure: name === first.name ? '' : name, page })}
      />
      <History
        reply={reply}
        measure={measure}
        currency={currency}
        currencies={currencies}
        range={range}
        hasBefore={hasBefore}
        onCurrency={(code) => change({ currency: code === own ? '' : code, page })}
      />
    </div>
  );
}
