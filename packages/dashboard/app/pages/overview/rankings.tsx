import type { UseQueryResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import type { BreakdownReply, TopReply } from '../../api/types.ts';
import { formatCount } from '../../format/number.ts';
import { formatTime } from '../../format/time.ts';
import { useProgram } from '../../session/session.tsx';
import { type Bar, BarList } from '../../ui/bar-list.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { barsOf, type CountName, DIMENSIONS, type Dimension } from './breakdown.ts';
import { formatMeasure, type Measure } from './measures.ts';

/** Rows of each list. */
export const ROWS = 7;
const NOTHING = 'Nothing in this period.';

const RANKINGS = [
  { by: 'partner', text: 'Top partners' },
  { by: 'link', text: 'Top links' },
] as const;

export type Ranking = (typeof RANKINGS)[number]['by'];

/** The ranking of the URL. */
export function readRanking(text: string | undefined): Ranking {
  return text === 'link' ? 'link' : 'partner';
}

/** The partners or links that brought the most. */
export function Top({
  top,
  by,
  measure,
  currency,
}: {
  top: UseQueryResult<TopReply, Error>;
  by: Ranking;
  measure: Measure;
  currency: string;
}): JSX.Element {
  const { page, may } = useProgram();
  const bars = top.data?.data.map((row): Bar => {
    const { link_id: linkId, short_link: code = '', partner_id: id, partner_name: name, value } = row;
    if (linkId !== undefined) {
      const to = may('link:list') ? `${page}/links?q=${encodeURIComponent(code)}` : undefined;
      return { id: `link ${linkId}`, text: code, value, to };
    }
    const to = may('partner:list') && id !== null ? `${page}/partners/${id}` : undefined;
    return { id: `partner ${id}`, text: name ?? 'Unknown partner', value, to };
  });
  return (
    <section class="card flush" aria-label="Top partners and links">
      <Tabs label="Rank" parameter="top" tabs={RANKINGS} current={by} />
      <div class="tab-panel">
        <div class="row apart list-head quiet small">
          <span>{by === 'link' ? 'Link' : 'Partner'}</span>
          <span>{measure.text}</span>
        </div>
        <BarList
          label={by === 'link' ? 'Top links' : 'Top partners'}
          bars={bars}
          rows={ROWS}
          format={(value) => formatMeasure(value, measure, currency)}
          error={top.error}
          onRetry={() => void top.refetch()}
          empty={NOTHING}
        />
      </div>
    </section>
  );
}

const COUNT_TEXTS: Readonly<Record<CountName, string>> = {
  clicks: 'Clicks',
  leads: 'Sign-ups',
  sales: 'Sales',
};

/** Where visitors come from, in one card with tabs. */
export function Breakdown({
  reply,
  by,
  count,
}: {
  reply: UseQueryResult<BreakdownReply, Error>;
  by: Dimension;
  count: CountName;
}): JSX.Element {
  const { program } = useProgram();
  const { data, error } = reply;
  const { as_of: asOf } = data?.meta ?? {};
  return (
    <section class="card flush" aria-label="Where visitors come from">
      <Tabs label="Break down by" parameter="by" tabs={DIMENSIONS} current={by} />
      <div class="tab-panel">
        <div class="row apart list-head quiet small">
          <span>
            {asOf === null
              ? 'Events of an older version are still being counted.'
              : asOf !== undefined && `As of ${formatTime(asOf)}`}
          </span>
          <span>{COUNT_TEXTS[count]}</span>
        </div>
        <BarList
          label={DIMENSIONS.find((one) => one.by === by)?.text ?? ''}
          bars={data && barsOf(data, { count, siteUrl: program.site_url })}
          rows={ROWS}
          format={formatCount}
          error={error}
          onRetry={() => void reply.refetch()}
          empty={NOTHING}
        />
      </div>
    </section>
  );
}

/** Links that change one parameter of the URL. */
function Tabs({
  label,
  parameter,
  tabs,
  current,
}: {
  label: string;
  parameter: string;
  tabs: readonly { readonly by: string; readonly text: string }[];
  current: string;
}): JSX.Element {
  const [query] = useQueryState();
  const { path } = useLocation();
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ by, text }) => (
        <a
          key={by}
          href={`${path}?${new URLSearchParams({ ...query, [parameter]: by })}`}
          aria-current={by === current ? 'true' : undefined}
        >
          {text}
        </a>
      ))}
    </nav>
  );
}
