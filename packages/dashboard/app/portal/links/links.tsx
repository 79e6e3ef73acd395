import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/portal-links.ts';
import { PORTAL_LINKS } from '../../api/portal-requests.ts';
import type { PortalLink } from '../../api/types.ts';
import { Button } from '../../ui/controls.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Status } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useList } from '../../ui/use-list.ts';
import { useQueryState } from '../../ui/use-query-state.ts';
import { useEnrollment } from '../enrollment.ts';
import { NotEarning } from '../states.tsx';
import { CreatePortalLink } from './create-portal-link.tsx';
import { figureColumns } from './figure-columns.tsx';
import { QrButton } from './qr-button.tsx';

/** The links of the partner in a program, with their measures. */
export function PortalLinks(): JSX.Element {
  const { query, page, program } = useEnrollment();
  const [{ create: isCreating, page: listPage = '' }, change] = useQueryState();
  const links = useList<PortalLink>(PORTAL_LINKS, query);
  const isApproved = program.status === 'approved';
  const create = isApproved && (
    <Button kind="primary" onClick={() => change({ create: '1', page: listPage })}>
      {messages.create}
    </Button>
  );
  return (
    <Page
      title={common.links}
      actions={
        <>
          <CsvLink path={`${PORTAL_LINKS}.csv`} query={query} />
          {create}
        </>
      }
    >
      <div class="stack">
        <NotEarning />
        <Table
          label={common.links}
          columns={columnsOf(page, program.currency)}
          {...links}
          empty={<Empty action={create}>{isApproved ? messages.none : messages.notApproved}</Empty>}
        />
      </div>
      {isApproved && isCreating === '1' && (
        <CreatePortalLink onClose={() => change({ create: '', page: listPage }, true)} />
      )}
    </Page>
  );
}

function columnsOf(page: string, currency: string): readonly Column<PortalLink>[] {
  return [
    {
      title: common.link,
      cell: (link) => (
        <span class="copyable">
          <span>
            <Link to={`${page}/links/${link.id}`}>{link.short_link}</Link>
            <span class="sub">{link.url.replace(/^https?:\/\//, '')}</span>
          </span>
          <CopyButton text={link.url} label={`${common.copy} ${link.short_link}`} isIcon />
        </span>
      ),
    },
    { title: common.status, cell: ({ status }) => <Status status={status} /> },
    ...figureColumns<PortalLink>(currency),
    { title: '', cell: (link) => <QrButton link={link} /> },
  ];
}
