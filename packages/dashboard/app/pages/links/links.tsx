import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/links.ts';
import type { Link as AffiliateLink } from '../../api/types.ts';
import { formatCount } from '../../format/number.ts';
import { type ProgramView, useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty } from '../../ui/state.tsx';
import { StatusFilter } from '../../ui/status-filter.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { prefetchList, useList } from '../../ui/use-list.ts';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Time } from '../../ui/values.tsx';
import { CreateLink } from './create-link.tsx';
import { LinkActions } from './link-actions.tsx';
import { LinkCode } from './link-code.tsx';
import { LinkStatus } from './link-status.tsx';

const LINK_STATUSES = ['active', 'inactive'] as const;

const LINK_FILTERS = ['q', 'status'];

/** The links of all partners of a program. */
export function Links(): JSX.Element {
  const view = useProgram();
  const [{ sort, order }] = useQueryState();
  const { filters, isFiltered, count, clear } = useFilters(LINK_FILTERS);
  const links = useList<AffiliateLink>(`${view.api}/links`, filters);
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title={common.links}
      error={links.error}
      actions={
        <>
          <CsvLink path={`${view.api}/links.csv`} query={{ ...filters, sort, order }} />
          {view.may('link:create') && (
            <Button kind="primary" onClick={() => setCreating(true)}>
              {messages.create}
            </Button>
          )}
        </>
      }
    >
      <div class="stack">
        <Filters
          search={<SearchField label={messages.search} placeholder={messages.searchExample} />}
          count={count}
        >
          <StatusFilter statuses={LINK_STATUSES} />
        </Filters>
        <Table
          label={common.links}
          columns={columnsOf(view)}
          {...links}
          empty={
            isFiltered ? (
              <Empty action={<Button onClick={clear}>{common.clearFilters}</Button>}>
                {messages.noMatch}
              </Empty>
            ) : (
              <Empty
                action={
                  <Link to={`${view.page}/partners`} button="normal">
                    {common.goToPartners}
                  </Link>
                }
              >
                {messages.none}
              </Empty>
            )
          }
        />
      </div>
      {isCreating && <CreateLink onClose={() => setCreating(false)} />}
    </Page>
  );
}

Links.prefetch = prefetchList('links', LINK_FILTERS);

function columnsOf(view: ProgramView): readonly Column<AffiliateLink>[] {
  return [
    {
      title: common.link,
      sort: 'short_link',
      firstOrder: 'asc',
      cell: (link) => <LinkCode link={link} />,
    },
    {
      title: common.partner,
      cell: ({ partner_id, partner_name }) =>
        partner_id === null ? (
          <span class="quiet">{messages.erased}</span>
        ) : (
          <Link to={`${view.page}/partners/${partner_id}`}>
            {partner_name ?? common.partnerNumber(partner_id)}
          </Link>
        ),
    },
    {
      title: common.status,
      cell: ({ status, partner_status }) => <LinkStatus status={status} partner={partner_status} />,
    },
    {
      title: messages.lastClick,
      sort: 'last_clicked',
      cell: ({ last_clicked }) => <Time at={last_clicked} />,
    },
    {
      title: common.clicks,
      align: 'end',
      sort: 'clicks',
      cell: ({ clicks }) => formatCount(clicks),
    },
    { title: '', cell: (link) => <LinkActions link={link} /> },
  ];
}
