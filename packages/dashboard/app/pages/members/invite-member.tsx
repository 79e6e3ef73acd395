import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/members.ts';
import type { CreatedMember, ItemReply, Role } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useWorkspace } from '../../session/session.tsx';
import { SelectField } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { invitationUrl } from '../../ui/invitation.ts';
import { checkPerson, PersonFields } from '../../ui/person-fields.tsx';
import { ResultDialog } from '../../ui/result-dialog.tsx';
import { MEMBERS_PATH } from './members-path.ts';
import { ROLE_CHOICES } from './roles.tsx';

/** Invites a member, and then shows the invitation link. */
export function InviteMember({ onClose }: { onClose: () => void }): JSX.Element {
  const { id: workspace_id } = useWorkspace();
  const { mutateAsync } = useChange<ItemReply<CreatedMember>>(MEMBERS_PATH);
  const [person, setPerson] = useState({ name: '', email: '' });
  const [role, setRole] = useState<Role>('member');
  const [isChecked, setChecked] = useState(false);
  const [created, setCreated] = useState<CreatedMember | null>(null);
  if (created) return <Invitation member={created} onClose={onClose} />;

  const errors = checkPerson(person);
  const save = async () => {
    setChecked(true);
    if (Object.keys(errors).length > 0) return false;
    const body = { name: person.name.trim(), email: person.email.trim(), role, workspace_id };
    const ifLost = messages.invitationLost;
    setCreated((await mutateAsync({ method: 'POST', path: MEMBERS_PATH, body, ifLost })).data);
    return false;
  };
  return (
    <FormDialog title={messages.invite} submit={messages.inviteSubmit} onSubmit={save} onClose={onClose}>
      <PersonFields person={person} onChange={setPerson} errors={isChecked ? errors : {}} />
      <SelectField
        label={messages.role}
        value={role}
        choices={ROLE_CHOICES}
        onChange={setRole}
        hint={messages.roleTexts[role]}
      />
    </FormDialog>
  );
}

/**
 * The link of an invitation. It can be shown only once, because the server returns it only when it creates the
 * invitation.
 */
export function Invitation({
  member: { name, invite_token, invite_delivery },
  onClose,
}: {
  member: Pick<CreatedMember, 'name' | 'invite_token' | 'invite_delivery'>;
  onClose: () => void;
}): JSX.Element {
  return (
    <ResultDialog title={messages.invitationTitle(name)} onClose={onClose}>
      {invite_token === undefined ? (
        <p>{messages.alreadyInvited(name)}</p>
      ) : (
        <CopyText
          label={messages.invitationLink}
          hint={
            invite_delivery === 'email' ? messages.invitationSentHint(name) : messages.invitationHint(name)
          }
          text={invitationUrl(invite_token)}
        />
      )}
    </ResultDialog>
  );
}
