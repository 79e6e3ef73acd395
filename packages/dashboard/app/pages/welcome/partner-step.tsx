import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as partners from '#messages/partners.ts';
import * as shell from '#messages/shell.ts';
import * as messages from '#messages/welcome.tsx';
import type { ListReply, Partner } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty, ErrorNotice, Skeleton, Status } from '../../ui/state.tsx';
import { useToast } from '../../ui/toast.tsx';
import type { InvitePartner } from '../partners/invite-partner.tsx';
import { StepEnd } from './step-end.tsx';
import { StepHeading } from './step-heading.tsx';

/** Returns the partner whose link the user should try. */
export function useFirstPartner() {
  const { api } = useProgram();
  const found = useApi<ListReply<Partner>>(`${api}/partners`, {
    status: 'approved',
    sort: 'created_at',
    order: 'asc',
    pageSize: 1,
  });
  return { ...found, partner: found.data?.data[0] };
}

/** Adds the first partner. Users may add themselves. */
export function PartnerStep({ next }: { next: string }): JSX.Element {
  const { partner, data, error, refetch } = useFirstPartner();
  const toast = useToast();
  const [dialog, setDialog] = useState<{ readonly Invite: typeof InvitePartner } | null>(null);
  // Load the dialog only when it is opened, so that the first page of new users is small.
  const invite = () =>
    import('../partners/invite-partner.tsx').then(
      ({ InvitePartner: Invite }) => setDialog({ Invite }),
      () => toast(shell.notLoaded),
    );
  const link = partner?.links[0];
  return (
    <section class="card stack" aria-labelledby="partner-step">
      <StepHeading id="partner-step" title={messages.partnerTitle} intro={messages.partnerIntro} />
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
          {link && <CopyText label={partners.link} text={link.url} />}
        </div>
      ) : (
        <Empty
          action={
            <Button kind="primary" onClick={() => void invite()}>
              {partners.invite}
            </Button>
          }
        >
          {messages.noPartner}
        </Empty>
      )}
      <StepEnd>
        {data && (
          <Link to={next} button={partner ? 'primary' : 'normal'}>
            {partner ? messages.next : messages.skip}
          </Link>
        )}
      </StepEnd>
      {dialog && <dialog.Invite onClose={() => setDialog(null)} />}
    </section>
  );
}
