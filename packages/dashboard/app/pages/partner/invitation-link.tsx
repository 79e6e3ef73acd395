import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/partners.ts';
import type { Invite, ItemReply, PartnerDetail } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { invitationUrl } from '../../ui/invitation.ts';
import { ResultDialog } from '../../ui/result-dialog.tsx';

/** Creates a new invitation for a partner without an account, and then shows its link. */
export function InvitationLink({
  partner,
  onClose,
}: {
  partner: PartnerDetail;
  onClose: () => void;
}): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange<ItemReply<Invite>>('/api/advertiser/emails');
  const [invite, setInvite] = useState<Invite | null>(null);
  if (invite !== null) return <CreatedInvitation name={partner.name} invite={invite} onClose={onClose} />;
  const create = async () => {
    const path = `${api}/partners/${partner.id}/invite`;
    const ifLost = messages.newInvitationLost;
    setInvite((await mutateAsync({ method: 'POST', path, ifLost })).data);
    return false;
  };
  return (
    <FormDialog
      title={messages.newInvitationTitle(partner.name)}
      submit={common.create}
      onSubmit={create}
      onClose={onClose}
    >
      <p>{messages.newInvitationText}</p>
    </FormDialog>
  );
}

function CreatedInvitation({
  name,
  invite: { invite_token, invite_delivery },
  onClose,
}: {
  name: string;
  invite: Invite;
  onClose: () => void;
}): JSX.Element {
  return (
    <ResultDialog title={messages.invitationOf(name)} onClose={onClose}>
      <CopyText
        label={messages.invitation}
        hint={invite_delivery === 'email' ? messages.invitationSentHint : messages.invitationHint}
        text={invitationUrl(invite_token)}
      />
    </ResultDialog>
  );
}
