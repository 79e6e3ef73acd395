import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CreatedPartner, ItemReply } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Button, CheckField, TextField } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { invitationUrl } from '../../ui/invitation.ts';

/** Adds a partner, and then shows what to send to them. */
export function InvitePartner({ onClose }: { onClose: () => void }): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange<ItemReply<CreatedPartner>>(api);
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const [isApproved, setApproved] = useState(true);
  const [isChecked, setChecked] = useState(false);
  const [created, setCreated] = useState<CreatedPartner | null>(null);
  if (created) return <InvitedPartner partner={created} onClose={onClose} />;

  const nameError = name.trim() === '' ? 'Enter a name.' : null;
  const emailError = /^[^\s@]+@\S+$/.test(email) ? null : 'Enter an email address, such as ana@example.com.';
  const save = async () => {
    setChecked(true);
    if (nameError !== null || emailError !== null) return false;
    const status = isApproved ? 'approved' : 'pending';
    const body = {
      name: name.trim(),
      email: email.trim(),
      status,
      ...(code.trim() !== '' && { code: code.trim() }),
    };
    setCreated((await mutateAsync({ method: 'POST', path: `${api}/partners`, body })).data);
    return false;
  };
  return (
    <FormDialog title="Invite a partner" submit="Invite" onSubmit={save} onClose={onClose}>
      <TextField label="Name" value={name} onInput={setName} error={isChecked ? nameError : null} autofocus />
      <TextField
        label="Email"
        type="email"
        value={email}
        onInput={setEmail}
        error={isChecked ? emailError : null}
      />
      <TextField
        label="Code (optional)"
        hint="The code of the partner’s link, such as ANA10. Without one, Affkit generates it."
        value={code}
        onInput={setCode}
      />
      <CheckField
        label="Approve now"
        hint="Links of a pending partner record no clicks."
        checked={isApproved}
        onChange={setApproved}
      />
    </FormDialog>
  );
}

function InvitedPartner({ partner, onClose }: { partner: CreatedPartner; onClose: () => void }): JSX.Element {
  const [link] = partner.links;
  return (
    <Dialog title={`${partner.name} is a partner now`} onClose={onClose}>
      {link && <CopyText label="Partner link" text={link.url} />}
      {partner.invite_token !== undefined && (
        <CopyText
          label="Invitation"
          hint="Send it to the partner. Only this dialog shows it."
          text={invitationUrl(partner.invite_token)}
        />
      )}
      <div class="dialog-end">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
