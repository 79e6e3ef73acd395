import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CreatedMember, ItemReply, Role } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useWorkspace } from '../../session/session.tsx';
import { Button, SelectField, TextField } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { invitationUrl } from '../../ui/invitation.ts';
import { MEMBERS_PATH } from './members-path.ts';
import { ROLE_CHOICES, ROLE_TEXTS } from './roles.tsx';

/** Invites a member, and then shows the link to send to them. */
export function InviteMember({ onClose }: { onClose: () => void }): JSX.Element {
  const { id: workspace_id } = useWorkspace();
  const { mutateAsync } = useChange<ItemReply<CreatedMember>>(MEMBERS_PATH);
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const [isChecked, setChecked] = useState(false);
  const [created, setCreated] = useState<CreatedMember | null>(null);
  if (created) return <Invitation member={created} onClose={onClose} />;

  const nameError = name.trim() === '' ? 'Enter a name.' : null;
  const emailError = /^[^\s@]+@\S+$/.test(email) ? null : 'Enter an email address, such as kim@example.com.';
  const save = async () => {
    setChecked(true);
    if (nameError !== null || emailError !== null) return false;
    const body = { name: name.trim(), email: email.trim(), role, workspace_id };
    setCreated((await mutateAsync({ method: 'POST', path: MEMBERS_PATH, body })).data);
    return false;
  };
  return (
    <FormDialog title="Invite a member" submit="Create invitation" onSubmit={save} onClose={onClose}>
      <TextField label="Name" value={name} onInput={setName} error={isChecked ? nameError : null} autofocus />
      <TextField
        label="Email"
        type="email"
        value={email}
        onInput={setEmail}
        error={isChecked ? emailError : null}
      />
      <SelectField
        label="Role"
        value={role}
        choices={ROLE_CHOICES}
        onChange={setRole}
        hint={ROLE_TEXTS[role]}
      />
    </FormDialog>
  );
}

/** The link of an invitation. Only the reply that created it has it. */
export function Invitation({
  member: { name, invite_token },
  onClose,
}: {
  member: CreatedMember;
  onClose: () => void;
}): JSX.Element {
  return (
    <Dialog title={`Invitation for ${name}`} onClose={onClose}>
      {invite_token === undefined ? (
        <p>
          An earlier invitation is still valid, so there is no new link. Invitations last seven days. If the
          link is lost, remove {name} and invite them again.
        </p>
      ) : (
        <CopyText
          label="Invitation link"
          hint={`Send it to ${name} only. It works once, for seven days, and it is not shown again.`}
          text={invitationUrl(invite_token)}
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
