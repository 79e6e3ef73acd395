import type { JSX } from 'preact';
import { useRoute } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/portal-links.ts';
import { PORTAL_LINKS } from '../../api/portal-requests.ts';
import type { ItemReply, PortalLink, PortalLinkSeries, PortalSubIds } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { formatTime } from '../../format/time.ts';
import { PeriodChoice } from '../../pages/overview/period-choice.tsx';
import { Button } from '../../ui/controls.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useLastPage } from '../../ui/use-last-page.ts';
import { useQueryState } from '../../ui/use-query-state.ts';
import { useEnrollment } from '../enrollment.ts';
import { Figures, readPortalDays } from '../figures.tsx';
import { figureColumns } from './figure-columns.tsx';
import { QrButton } from './qr-button.tsx';

/** Counts that are at most this old are shown without their age. */
const CURRENT_MS = 120_000;
const SUB_IDS_PER_PAGE = 25;

/** A link of the partner, with its measures over time and the measures of its sub ids. */
export function PortalLinkDetail(): JSX.Element {
  const { params } = useRoute();
  const { page, program } = useEnrollment();
  const [query, change] = useQueryState();
  const path = `${PORTAL_LINKS}/${params['linkId']}`;
  const range = readPortalDays(query, program);
  const days = { dateFrom: range.dateFrom, dateTo: range.dateTo };
  const { sub_id: subId, page: subIdPage = '' } = query;
  const link = useApi<ItemReply<PortalLink>>(path);
  const series = useApi<PortalLinkSeries>(`${path}/series`, { ...days, sub_id: subId });
  const subIds = useApi<PortalSubIds>(`${path}/sub-ids`, {
    ...days,
    page: subIdPage,
    pageSize: SUB_IDS_PER_PAGE,
  });
  useLastPage(subIds);
  const found = link.data?.data;
  if (link.error && !found) {
    return (
      <Page title={common.link} above={<Link to={`${page}/links`}>{messages.backToLinks}</Link>}>
        <ErrorNotice error={link.error} onRetry={() => void link.refetch()} />
      </Page>
    );
  }
  return (
    <Page
      title={found ? found.short_link : common.link}
      above={<Link to={`${page}/links`}>{messages.backToLinks}</Link>}
      intro={
        <span class="copyable">
          {found ? found.url : <Skeleton width="240px" />}
          {found && <CopyButton text={found.url} label={`${common.copy} ${found.short_link}`} isIcon />}
          {found && <QrButton link={found} />}
        </span>
      }
      actions={<PeriodChoice />}
    >
      <div class="stack">
        {subId !== undefined && subId !== '' && (
          <div class="row">
            <strong>{messages.onlySubId(subId)}</strong>
            <Button onClick={() => change({ sub_id: '', page: subIdPage })}>{messages.showAll}</Button>
          </div>
        )}
        <Figures series={series} currency={program.currency} range={range} />
        <CountedUntil asOf={series.data?.meta.as_of} />
        <section aria-labelledby="sub-ids">
          <div class="row apart section-title">
            <h2 id="sub-ids">{messages.subIds}</h2>
            <CsvLink path={`${path}/sub-ids.csv`} query={days} />
          </div>
          <Table
            label={messages.subIds}
            columns={columnsOf(program.currency, (name) => change({ sub_id: name, page: subIdPage }))}
            rows={subIds.data?.data.map((row, id) => ({ ...row, id }))}
            isStale={subIds.isPlaceholderData}
            pagination={subIds.data?.meta.pagination}
            loadingRows={3}
            error={subIds.error}
            onRetry={() => void subIds.refetch()}
            empty={messages.noSubIds}
          />
        </section>
      </div>
    </Page>
  );
}

/** The time until which events have been counted. Renders nothing if the counts are current. */
function CountedUntil({ asOf }: { asOf: string | null | undefined }): JSX.Element | null {
  if (asOf === undefined || (asOf !== null && Date.now() - Date.parse(asOf) < CURRENT_MS)) return null;
  return (
    <p class="quiet small">
      {asOf === null ? messages.beingCounted : messages.countedUntil(formatTime(asOf))}
    </p>
  );
}

type Row = PortalSubIds['data'][number] & { readonly id: number };

function columnsOf(currency: string, choose: (subId: string) => void): readonly Column<Row>[] {
  return [
    {
      title: messages.subId,
      cell: ({ sub_id }) =>
        sub_id === null ? (
          <span class="quiet" title={messages.withoutEnd}>
            {messages.otherSubIds}
          </span>
        ) : (
          <span class="flush">
            <Button kind="plain" onClick={() => choose(sub_id)}>
              {sub_id}
            </Button>
          </span>
        ),
    },
    ...figureColumns<Row>(currency),
  ];
}
