import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ListReply, Partner } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty, ErrorNotice, Skeleton, Status } from '../../ui/state.tsx';
import { InvitePartner } from '../partners/invite-partner.tsx';

/** The partner whose link is tried. */
export function useFirstPartner() {
  const { api } = useProgram();
  const partners = useApi<ListReply<Partner>>(`${api}/partners`, {
    sort: 'created_at',
    order: 'asc',
    pageSize: 1,
  });
  return { ...partners, partner: partners.data?.data[0] };
}

/** Adds the first partner, who may be the user. */
export function PartnerStep({ next }: { next: string }): JSX.Element {
  const { partner, data, error, refetch } = useFirstPartner();
  const [isInviting, setInviting] = useState(false);
  const link = partner?.links[0];
  return (
    <section class="card stack" aria-labelledby="partner-step">
      <div>
        <h2 id="partner-step">Invite the first partner</h2>
        <p class="quiet">Invite yourself to try it: every partner gets a link to share.</p>
      </div>
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton height="120px" />
      ) : partner ? (
        <div class="stack">
          <div class="row">
            <strong>{partner.name}</strong>
            <Status status={partner.status} />
          </div>
          {link && <CopyText label="Partner link" text={link.url} />}
        </div>
      ) : (
        <Empty
          action={
            <Button kind="primary" onClick={() => setInviting(true)}>
              Invite a partner
            </Button>
          }
        >
          Nobody has been invited yet.
        </Empty>
      )}
      <div class="dialog-end">
        {data && (
          <Link to={next} button={partner ? 'primary' : 'normal'}>
            {partner ? 'Continue' : 'Skip for now'}
          </Link>
        )}
      </div>
      {isInviting && <InvitePartner onClose={() => setInviting(false)} />}
    </section>
  );
}
