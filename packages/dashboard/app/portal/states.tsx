import type { JSX } from 'preact';
import * as messages from '#messages/portal.tsx';
import { PORTAL_PARTNERS } from '../api/portal-requests.ts';
import type { PortalPartners } from '../api/types.ts';
import { useApi } from '../api/use-api.ts';
import { useSession } from '../session/session.tsx';
import { Link } from '../ui/link.tsx';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/state.tsx';
import { useEnrollment } from './enrollment.ts';

/** Shown to a user who is not a partner in any program. */
export function NoProgram(): JSX.Element {
  const { me } = useSession();
  return (
    <Page title={messages.noProgramTitle}>
      <Empty
        action={
          me.workspaces.length > 0 && (
            <Link to="/" button="normal">
              {messages.toAdvertiserPages}
            </Link>
          )
        }
      >
        {messages.noProgram}
      </Empty>
    </Page>
  );
}

/** Shown instead of the program's pages while the partner waits for a decision, or after a rejection. */
export function NotAdmitted(): JSX.Element {
  const { program, partner } = useEnrollment();
  const { data } = useApi<PortalPartners>(PORTAL_PARTNERS);
  const { name, status, status_reason: reason } = program;
  if (status === 'rejected') {
    return (
      <Page title={name}>
        <Empty>
          {messages.rejected(name)}
          {reason !== null && <Reason text={reason} />}
        </Empty>
      </Page>
    );
  }
  return (
    <Page title={name}>
      <Empty>{messages.waiting(name, data?.email_delivery === 'email' ? partner.email : null)}</Empty>
    </Page>
  );
}

/** Says that the partner no longer earns in this program. Renders nothing while the partner is approved. */
export function NotEarning(): JSX.Element | null {
  const { program } = useEnrollment();
  const { name, status, status_reason: reason } = program;
  if (status === 'approved') return null;
  return (
    <div class="notice warn" role="status">
      <span>
        {messages.notEarning(name)[status]}
        {reason !== null && <Reason text={reason} />}
      </span>
    </div>
  );
}

function Reason({ text }: { text: string }): JSX.Element {
  return (
    <>
      <br />
      {messages.reason(text)}
    </>
  );
}
