import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as partnersMessages from '#messages/partners.ts';
import type { PartnerDetail } from '../../api/types.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { useOverlay } from '../../ui/use-overlay.tsx';
import { PartnerActions } from '../partners/partner-actions.tsx';
import { usePartnerStatus } from '../partners/use-partner-status.ts';

// The dialogs are loaded only when they are needed, because the partner page is already the largest page.
const loadInvitation = () => import('./invitation-link.tsx').then((module) => module.InvitationLink);
const loadRejection = () => import('./reject-application.tsx').then((module) => module.RejectApplication);
const loadEdit = () => import('./edit-partner.tsx').then((module) => module.EditPartner);

/** The actions on the partner. An application has its own buttons to approve or reject it. */
export function PartnerButtons({ partner }: { partner: PartnerDetail }): JSX.Element | null {
  const { may } = useProgram();
  const props = { partner };
  const [invitation, invite] = useOverlay(loadInvitation, props);
  const [rejecting, askReason] = useOverlay(loadRejection, props);
  const [editing, edit] = useOverlay(loadEdit, props);
  const { change } = usePartnerStatus(partner);
  const reject = () => (partner.application === null ? void change('rejected') : askReason());
  const invitations =
    partner.has_account || !may('partner:create')
      ? []
      : [{ text: partnersMessages.newInvitation, run: invite }];
  if (!may('partner:update')) return null;
  return (
    <>
      <Button onClick={edit}>{common.edit}</Button>
      {partner.status === 'pending' && (
        <>
          <Button onClick={reject}>{common.reject}</Button>
          <Button kind="primary" onClick={() => void change('approved')}>
            {common.approve}
          </Button>
        </>
      )}
      <PartnerActions partner={partner} first={invitations} />
      {rejecting}
      {invitation}
      {editing}
    </>
  );
}
