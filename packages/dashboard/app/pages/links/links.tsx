import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Link as AffiliateLink, ListReply } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { formatCount } from '../../format/number.ts';
import { type ProgramView, useProgram } from '../../session/session.tsx';
import { Button, Select } from '../../ui/controls.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Status } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Time } from '../../ui/values.tsx';
import { CreateLink } from './create-link.tsx';
import { LinkActions } from './link-actions.tsx';
import { LinkCode } from './link-code.tsx';

const PAGE_SIZE = 25;
const STATUSES = [
  { value: '', text: 'All statuses' },
  { value: 'active', text: 'Active' },
  { value: 'inactive', text: 'Inactive' },
] as const;

/** The links of all partners of a program. */
export function Links(): JSX.Element {
  const view = useProgram();
  const [query, change] = useQueryState();
  const [isCreating, setCreating] = useState(false);
  const { q = '', status = '', sort, order, page } = query;
  const filters = { q, status, sort, order };
  const path = `${view.api}/links`;
  const links = useApi<ListReply<AffiliateLink>>(path, { ...filters, page, pageSize: PAGE_SIZE });
  const create = view.may('link:create') && (
    <Button kind="primary" onClick={() => setCreating(true)}>
      Create a link
    </Button>
  );
  return (
    <Page
      title="Links"
      actions={
        <>
          <CsvLink path={`${path}.csv`} query={filters} />
          {create}
        </>
      }
    >
      <div class="stack">
        <div class="filters">
          <SearchField label="Search links" placeholder="Code or partner" />
          <Select
            label="Status"
            value={status}
            choices={STATUSES}
            onChange={(value) => change({ status: value })}
          />
        </div>
        <Table
          label="Links"
          columns={columnsOf(view)}
          rows={links.data?.data}
          error={links.error}
          onRetry={() => void links.refetch()}
          pagination={links.data?.meta.pagination}
          empty={
            q !== '' || status !== '' ? (
              <Empty
                action={<Button onClick={() => change({ q: '', status: '' })}>Clear the filters</Button>}
              >
                No link matches these filters.
              </Empty>
            ) : (
              <Empty
                action={
                  <Link to={`${view.page}/partners`} button="normal">
                    Go to the partners
                  </Link>
                }
              >
                No links yet. Each partner whom you invite gets one.
              </Empty>
            )
          }
        />
      </div>
      {isCreating && <CreateLink onClose={() => setCreating(false)} />}
    </Page>
  );
}

function columnsOf(view: ProgramView): readonly Column<AffiliateLink>[] {
  return [
    {
      title: 'Link',
      sort: 'short_link',
      firstOrder: 'asc',
      cell: (link) => <LinkCode link={link} />,
    },
    {
      title: 'Partner',
      cell: ({ partner_id, partner_name }) =>
        partner_id === null ? (
          <span class="quiet">Erased</span>
        ) : (
          <Link to={`${view.page}/partners/${partner_id}`}>{partner_name ?? `Partner ${partner_id}`}</Link>
        ),
    },
    { title: 'Status', cell: ({ status }) => <Status status={status} /> },
    { title: 'Clicks', align: 'end', sort: 'clicks', cell: ({ clicks }) => formatCount(clicks) },
    { title: 'Last click', sort: 'last_clicked', cell: ({ last_clicked }) => <Time at={last_clicked} /> },
    { title: '', cell: (link) => <LinkActions link={link} /> },
  ];
}
