import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/partner.tsx';
import type { PartnerDetail } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { checkPerson, PersonFields } from '../../ui/person-fields.tsx';

/** A dialog to change the name and email address of a partner. */
export function EditPartner({
  partner,
  onClose,
}: {
  partner: PartnerDetail;
  onClose: () => void;
}): JSX.Element {
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
