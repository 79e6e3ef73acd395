import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/partner.tsx';
import * as partnersMessages from '#messages/partners.ts';
import type { PartnerDetail } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { checkPerson, PersonFields } from '../../ui/person-fields.tsx';
import { PartnerActions } from '../partners/partner-actions.tsx';
import { usePartnerStatus } from '../partners/use-partner-status.ts';
import { RejectApplication } from './application.tsx';
import type { InvitationLink } from './invitation-link.tsx';

/** The actions on the partner. An application has its own buttons to approve or reject it. */
export function PartnerButtons({ partner }: { partner: PartnerDetail }): JSX.Element | null {
  const { may } = useProgram();
  const [isEditing, setEditing] = useState(false);
  const [isRejecting, setRejecting] = useState(false);
  const [Invitation, setInvitation] = useState<typeof InvitationLink | null>(null);
  // Loaded when it is needed, because the page of a partner is the largest.
  const invite = () =>
    void import('./invitation-link.tsx').then((module) => setInvitation(() => module.InvitationLink));
  const { change } = usePartnerStatus(partner);
  const reject = () => (partner.application === null ? void change('rejected') : setRejecting(true));
  if (!may('partner:update')) return null;
  return (
    <>
      {partner.status === 'pending' && (
        <>
          <Button onClick={reject}>{common.reject}</Button>
          <Button kind="primary" onClick={() => void change('approved')}>
            {common.approve}
          </Button>
        </>
      )}
      {!partner.has_account && may('partner:create') && (
        <Button onClick={invite}>{partnersMessages.newInvitation}</Button>
      )}
      <Button onClick={() => setEditing(true)}>{common.edit}</Button>
      <PartnerActions partner={partner} />
      {isRejecting && <RejectApplication partner={partner} onClose={() => setRejecting(false)} />}
      {Invitation && <Invitation partner={partner} onClose={() => setInvitation(null)} />}
      {isEditing && <EditPartner partner={partner} onClose={() => setEditing(false)} />}
    </>
  );
}

function EditPartner({ partner, onClose }: { partner: PartnerDetail; onClose: () => void }): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange(api);
  const [person, setPerson] = useState({ name: partner.name, email: partner.email });
  const [isChecked, setChecked] = useState(false);
  const errors = checkPerson(person);
  const save = async () => {
    setChecked(true);
    if (Object.keys(errors).length > 0) return false;
    const name = person.name.trim();
    const email = person.email.trim();
    const body = { ...(name !== partner.name && { name }), ...(email !== partner.email && { email }) };
    if (Object.keys(body).length === 0) return true;
    return mutateAsync({ method: 'PUT', path: `${api}/partners/${partner.id}`, body });
  };
  return (
    <FormDialog title={messages.editTitle} submit={common.save} onSubmit={save} onClose={onClose}>
      <PersonFields
        person={person}
        onChange={setPerson}
        errors={isChecked ? errors : {}}
        emailHint={messages.emailHint}
      />
    </FormDialog>
  );
}
