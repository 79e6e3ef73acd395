import type { UseQueryResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import type { BreakdownReply, TopReply } from '../../api/types.ts';
import { formatCount } from '../../format/number.ts';
import { formatTime } from '../../format/time.ts';
import { useProgram } from '../../session/session.tsx';
import { BarList } from '../../ui/bar-list.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { barsOf, type CountName, DIMENSIONS, type Dimension } from './breakdown.ts';
import { formatMeasure, type Measure } from './measures.ts';

/** Rows of each list. */
export const TOP_ROWS = 5;
export const BREAKDOWN_ROWS = 8;
const NOTHING = 'Nothing in this period.';

export function TopPartners({
  top,
  measure,
  currency,
}: {
  top: UseQueryResult<TopReply, Error>;
  measure: Measure;
  currency: string;
}): JSX.Element {
  const { page, may } = useProgram();
  const bars = top.data?.data.map(({ partner_id: id, partner_name: name, value }) => ({
    id: String(id),
    text: name ?? `Partner ${id}`,
    value,
    to: may('partner:list') && id !== null ? `${page}/partners/${id}` : undefined,
  }));
  return (
    <section class="card" aria-labelledby="top-partners">
      <Head id="top-partners" title="Top partners" measure={measure.text} />
      <BarList
        label="Top partners"
        bars={bars}
        rows={TOP_ROWS}
        format={(value) => formatMeasure(value, measure, currency)}
        error={top.error}
        onRetry={() => void top.refetch()}
        empty={NOTHING}
      />
    </section>
  );
}

export function TopLinks({ top }: { top: UseQueryResult<TopReply, Error> }): JSX.Element {
  const { page, may } = useProgram();
  const bars = top.data?.data.map(({ link_id: id, short_link: code = '', value }) => ({
    id: String(id),
    text: code,
    value,
    to: may('link:list') ? `${page}/links?q=${encodeURIComponent(code)}` : undefined,
  }));
  return (
    <section class="card" aria-labelledby="top-links">
      <Head id="top-links" title="Top links" measure="Clicks" />
      <BarList
        label="Top links"
        bars={bars}
        rows={TOP_ROWS}
        format={formatCount}
        error={top.error}
        onRetry={() => void top.refetch()}
        empty={NOTHING}
      />
    </section>
  );
}

function Head({ id, title, measure }: { id: string; title: string; measure: string }): JSX.Element {
  return (
    <div class="row apart list-head">
      <h2 id={id}>{title}</h2>
      <span class="quiet small">{measure}</span>
    </div>
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
      <DimensionTabs current={by} />
      <div class="tab-panel">
        <div class="row apart list-head">
          <span class="quiet small">
            {asOf === null
              ? 'Events of an older version are still being counted.'
              : asOf !== undefined && `As of ${formatTime(asOf)}`}
          </span>
          <span class="quiet small">{COUNT_TEXTS[count]}</span>
        </div>
        <BarList
          label={DIMENSIONS.find((one) => one.by === by)?.text ?? ''}
          bars={data && barsOf(data, { count, siteUrl: program.site_url })}
          rows={BREAKDOWN_ROWS}
          format={formatCount}
          error={error}
          onRetry={() => void reply.refetch()}
          empty={NOTHING}
        />
      </div>
    </section>
  );
}

function DimensionTabs({ current }: { current: Dimension }): JSX.Element {
  const [query] = useQueryState();
  const { path } = useLocation();
  return (
    <nav class="tabs" aria-label="Break down by">
      {DIMENSIONS.map(({ by, text }) => (
        <a
          key={by}
          href={`${path}?${new URLSearchParams({ ...query, by })}`}
          aria-current={by === current ? 'true' : undefined}
        >
          {text}
        </a>
      ))}
    </nav>
  );
}
