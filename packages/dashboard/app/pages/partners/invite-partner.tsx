import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as added from '#messages/added-partner.tsx';
import * as messages from '#messages/partners.ts';
import type { CreatedPartner, ItemReply } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { CheckField, TextField } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { invitationUrl } from '../../ui/invitation.ts';
import { Link } from '../../ui/link.tsx';
import { checkPerson, PersonFields } from '../../ui/person-fields.tsx';
import { ResultDialog } from '../../ui/result-dialog.tsx';

/** Adds a partner, and then shows the link and the invitation to send. */
export function InvitePartner({ onClose }: { onClose: () => void }): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange<ItemReply<CreatedPartner>>(api);
  const [person, setPerson] = useState({ name: '', email: '' });
  const [code, setCode] = useState('');
  const [isApproved, setApproved] = useState(true);
  const [isChecked, setChecked] = useState(false);
  const [created, setCreated] = useState<CreatedPartner | null>(null);
  if (created) return <InvitedPartner partner={created} onClose={onClose} />;

  const errors = checkPerson(person);
  const save = async () => {
    setChecked(true);
    if (Object.keys(errors).length > 0) return false;
    const body = {
      name: person.name.trim(),
      email: person.email.trim(),
      status: isApproved ? 'approved' : 'pending',
      ...(code.trim() !== '' && { code: code.trim() }),
    };
    const path = `${api}/partners`;
    setCreated((await mutateAsync({ method: 'POST', path, body, ifLost: added.lost })).data);
    return false;
  };
  return (
    <FormDialog title={messages.invite} submit={messages.inviteSubmit} onSubmit={save} onClose={onClose}>
      <PersonFields person={person} onChange={setPerson} errors={isChecked ? errors : {}} />
      <TextField label={messages.code} hint={messages.codeHint} value={code} onInput={setCode} />
      <CheckField
        label={messages.approveNow}
        hint={messages.approveNowHint}
        checked={isApproved}
        onChange={setApproved}
      />
    </FormDialog>
  );
}

function InvitedPartner({ partner, onClose }: { partner: CreatedPartner; onClose: () => void }): JSX.Element {
  const { page } = useProgram();
  const [link] = partner.links;
  return (
    <ResultDialog title={messages.invited(partner.name)} onClose={onClose}>
      {link && <CopyText label={messages.link} text={link.url} />}
      {partner.invite_token === undefined ? (
        <p>
          {added.noInvitation((text) => (
            <Link to={`${page}/partners/${partner.id}`}>{text}</Link>
          ))}
        </p>
      ) : (
        <CopyText
          label={messages.invitation}
          hint={partner.invite_delivery === 'email' ? messages.invitationSentHint : messages.invitationHint}
          text={invitationUrl(partner.invite_token)}
        />
      )}
    </ResultDialog>
  );
}
