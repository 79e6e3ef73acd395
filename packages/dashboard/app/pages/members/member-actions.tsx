import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/members.ts';
import type { Invite, ItemReply, Member, Role } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useSession } from '../../session/session.tsx';
import { SelectField } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { usePageOverlay } from '../../ui/page-overlay.tsx';
import { useToast } from '../../ui/toast.tsx';
import { Invitation } from './invite-member.tsx';
import { MEMBERS_PATH } from './members-path.ts';
import { ROLE_CHOICES } from './roles.tsx';

/** The actions on a member. Changing another member's role can be undone. Removing a member asks for confirmation. */
export function MemberActions({ member }: { member: Member }): JSX.Element {
  const { me } = useSession();
  const { mutateAsync } = useChange(MEMBERS_PATH, '/api/auth/me');
  const { open } = usePageOverlay();
  const { id, name } = member;
  const isSelf = member.user_id === me.user.id;

  const inviteAgain = () => open((onClose) => <NewInvitation member={member} onClose={onClose} />);
  const remove = () =>
    open((onClose) => (
      <FormDialog
        title={isSelf ? messages.leaveTitle : messages.removeTitle(name)}
        submit={isSelf ? messages.leave : common.remove}
        danger
        onSubmit={() => mutateAsync({ method: 'DELETE', path: `${MEMBERS_PATH}/${id}` })}
        onClose={onClose}
      >
        <p>
          {member.status === 'invited'
            ? messages.uninviteWarning
            : isSelf
              ? messages.leaveWarning
              : messages.removeWarning(name)}
        </p>
      </FormDialog>
    ));
  const actions = [
    ...(member.status === 'invited' ? [{ text: messages.newInvitation, run: inviteAgain }] : []),
    {
      text: messages.changeRole,
      run: () => open((onClose) => <ChangeRole member={member} isSelf={isSelf} onClose={onClose} />),
    },
    {
      text: isSelf ? messages.leaveWithDialog : messages.removeWithDialog,
      danger: true,
      run: remove,
    },
  ];
  return <ActionMenu label={messages.actionsFor(name)} actions={actions} />;
}

/** Creates a new invitation for a member without an account, and then shows its link. */
function NewInvitation({
  member: { id, name },
  onClose,
}: {
  member: Member;
  onClose: () => void;
}): JSX.Element {
  const { mutateAsync } = useChange<ItemReply<Invite>>('/api/advertiser/emails');
  const [invite, setInvite] = useState<Invite | null>(null);
  if (invite) return <Invitation member={{ name, ...invite }} onClose={onClose} />;
  const create = async () => {
    const change = { path: `${MEMBERS_PATH}/${id}/invite`, ifLost: messages.newInvitationLost };
    setInvite((await mutateAsync({ method: 'POST', ...change })).data);
    return false;
  };
  return (
    <FormDialog
      title={messages.newInvitationTitle(name)}
      submit={common.create}
      onSubmit={create}
      onClose={onClose}
    >
      <p>{messages.newInvitationText}</p>
    </FormDialog>
  );
}

function ChangeRole({
  member: { id, name, role: before },
  isSelf,
  onClose,
}: {
  member: Member;
  isSelf: boolean;
  onClose: () => void;
}): JSX.Element {
  const { mutateAsync } = useChange(MEMBERS_PATH, '/api/auth/me');
  const toast = useToast();
  const [role, setRole] = useState<Role>(before);
  const setTo = (next: Role) =>
    mutateAsync({ method: 'PUT', path: `${MEMBERS_PATH}/${id}`, body: { role: next } });
  const save = async () => {
    if (role === before) return;
    await setTo(role);
    const undo = () => {
      setTo(before).catch((error: Error) => toast(error.message));
    };
    // A user who is no longer an owner may not change roles, and so cannot undo this.
    toast(messages.isNow[role](name), isSelf ? undefined : { text: common.undo, run: undo });
  };
  return (
    <FormDialog title={messages.roleTitle(name)} submit={common.save} onSubmit={save} onClose={onClose}>
      <SelectField
        label={messages.role}
        value={role}
        choices={ROLE_CHOICES}
        onChange={setRole}
        hint={messages.roleTexts[role]}
      />
      {isSelf && role !== 'owner' && <div class="notice warn">{messages.ownRoleWarning}</div>}
    </FormDialog>
  );
}
