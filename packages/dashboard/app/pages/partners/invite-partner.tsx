import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/partners.ts';
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

  const nameError = name.trim() === '' ? common.nameMissing : null;
  const emailError = /^\S+@\S+$/.test(email) ? null : common.emailMissing;
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
    <FormDialog title={messages.invite} submit={messages.inviteSubmit} onSubmit={save} onClose={onClose}>
      <TextField
        label={common.name}
        value={name}
        onInput={setName}
        error={isChecked ? nameError : null}
        autofocus
      />
      <TextField
        label={common.email}
        type="email"
        value={email}
        onInput={setEmail}
        error={isChecked ? emailError : null}
      />
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
  const [link] = partner.links;
  return (
    <Dialog title={messages.invited(partner.name)} onClose={onClose}>
      {link && <CopyText label={messages.link} text={link.url} />}
      {partner.invite_token !== undefined && (
        <CopyText
          label={messages.invitation}
          hint={messages.invitationHint}
          text={invitationUrl(partner.invite_token)}
        />
      )}
      <div class="dialog-end">
        <Button kind="primary" onClick={onClose}>
          {common.done}
        </Button>
      </div>
    </Dialog>
  );
}
