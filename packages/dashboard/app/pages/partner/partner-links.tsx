import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as linkMessages from '#messages/links.ts';
import * as messages from '#messages/partner.tsx';
import type { Partner } from '../../api/types.ts';
import { formatCount } from '../../format/number.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useOverlay } from '../../ui/use-overlay.tsx';
import { Time } from '../../ui/values.tsx';
import { LinkActions } from '../links/link-actions.tsx';
import { LinkCode } from '../links/link-code.tsx';
import { LinkStatus } from '../links/link-status.tsx';

const loadCreateLink = () => import('../links/create-link.tsx').then((module) => module.CreateLink);

type PartnerLink = Partner['links'][number];

/** The links of the partner. */
export function PartnerLinks({ partner }: { partner: Partner | undefined }): JSX.Element {
  const { may } = useProgram();
  const [creating, create] = useOverlay(loadCreateLink, { ...(partner && { partner }) });
  return (
    <section aria-labelledby="links">
      <div class="row apart section-title">
        <h2 id="links">{common.links}</h2>
        {may('link:create') && (
          <Button disabled={!partner} onClick={create}>
            {linkMessages.create}
          </Button>
        )}
      </div>
      <Table
        label={common.links}
        columns={columnsOf(partner)}
        rows={partner?.links}
        loadingRows={1}
        empty={messages.noLink}
      />
      {creating}
    </section>
  );
}

function columnsOf(partner: Partner | undefined): readonly Column<PartnerLink>[] {
  return [
    { title: common.link, cell: (link) => <LinkCode link={link} /> },
    {
      title: common.status,
      cell: ({ status }) => <LinkStatus status={status} partner={partner?.status} />,
    },
    { title: linkMessages.lastClick, cell: ({ last_clicked }) => <Time at={last_clicked} /> },
    { title: common.clicks, align: 'end', cell: ({ clicks }) => formatCount(clicks) },
    { title: '', cell: (link) => <LinkActions link={link} /> },
  ];
}
