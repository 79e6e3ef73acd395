import type { UseQueryResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/overview.ts';
import type { BreakdownReply, TopReply } from '../../api/types.ts';
import { formatCount } from '../../format/number.ts';
import { formatTime } from '../../format/time.ts';
import { useProgram } from '../../session/session.tsx';
import { type Bar, BarList } from '../../ui/bar-list.tsx';
import { useLater } from '../../ui/use-later.ts';
import { useQueryState } from '../../ui/use-query-state.ts';
import { breakdownBarsOf, type CountName, DIMENSIONS, type Dimension } from './breakdown.ts';
import { formatMeasure, type Measure, readMeasure } from './measures.ts';

/** The number of rows in each list. */
export const ROWS = 7;

const RANKINGS = [
  { by: 'partner', text: messages.topPartners },
  { by: 'link', text: messages.topLinks },
] as const;

export type Ranking = (typeof RANKINGS)[number]['by'];

/** Returns the ranking in the URL. */
export function readRanking(text: string | undefined): Ranking {
  return text === 'link' ? 'link' : 'partner';
}

/** The partners or links with the highest values. */
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
  const isLater = useLater();
  const bars = top.data?.data.map((row): Bar => {
    const { link_id: linkId, short_link: code = '', partner_id: id, partner_name: name, value } = row;
    if (linkId !== undefined) {
      const to = may('link:list') ? `${page}/links?q=${encodeURIComponent(code)}` : undefined;
      return { id: `link-${linkId}`, text: code, value, to };
    }
    const to = may('partner:list') && id !== null ? `${page}/partners/${id}` : undefined;
    return { id: `partner-${id}`, text: name ?? messages.unknownPartner, value, to };
  });
  return (
    <section class="card flush" aria-label={messages.top}>
      <Tabs label={messages.ranking} parameter="top" tabs={RANKINGS} current={by} />
      <div class="tab-panel" aria-busy={top.isPlaceholderData}>
        <div class="row apart list-head quiet small">
          <span>{by === 'link' ? common.link : common.partner}</span>
          <span>{measure.text}</span>
        </div>
        <BarList
          label={by === 'link' ? messages.topLinks : messages.topPartners}
          bars={isLater ? bars : undefined}
          rows={ROWS}
          format={(value) => formatMeasure(value, measure, currency)}
          error={top.error}
          onRetry={() => void top.refetch()}
          empty={messages.nothing}
        />
      </div>
    </section>
  );
}

/** The origin of visitors, with a tab for each dimension. */
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
  const isLater = useLater();
  const { data, error } = reply;
  const { as_of: asOf } = data?.meta ?? {};
  return (
    <section class="card flush" aria-label={messages.breakdown}>
      <Tabs label={messages.breakDownBy} parameter="by" tabs={DIMENSIONS} current={by} />
      <div class="tab-panel" aria-busy={reply.isPlaceholderData}>
        <div class="row apart list-head quiet small">
          <span>
            {asOf === null ? messages.counting : asOf !== undefined && messages.asOf(formatTime(asOf))}
          </span>
          <span>{readMeasure(count).text}</span>
        </div>
        <BarList
          label={messages.dimensions[by]}
          bars={isLater && data ? breakdownBarsOf(data, { count, siteUrl: program.site_url }) : undefined}
          rows={ROWS}
          format={formatCount}
          error={error}
          onRetry={() => void reply.refetch()}
          empty={messages.nothing}
        />
      </div>
    </section>
  );
}

/** Tabs that change one parameter of the URL. */
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
