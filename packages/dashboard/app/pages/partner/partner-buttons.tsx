import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Partner } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Button, TextField } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { PartnerActions } from '../partners/partner-actions.tsx';
import { usePartnerStatus } from '../partners/use-partner-status.ts';

/** What can be done with the partner of the page. The decision about an application is at hand. */
export function PartnerButtons({ partner }: { partner: Partner }): JSX.Element | null {
  const { may } = useProgram();
  const [isEditing, setEditing] = useState(false);
  const { change } = usePartnerStatus(partner);
  if (!may('partner:update')) return null;
  return (
    <>
      {partner.status === 'pending' && (
        <>
          <Button onClick={() => void change('rejected')}>Reject</Button>
          <Button kind="primary" onClick={() => void change('approved')}>
            Approve
          </Button>
        </>
      )}
      <Button onClick={() => setEditing(true)}>Edit</Button>
      <PartnerActions partner={partner} />
      {isEditing && <EditPartner partner={partner} onClose={() => setEditing(false)} />}
    </>
  );
}

function EditPartner({ partner, onClose }: { partner: Partner; onClose: () => void }): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange(api);
  const [name, setName] = useState(partner.name);
  const [email, setEmail] = useState(partner.email);
  const [isChecked, setChecked] = useState(false);
  const nameError = name.trim() === '' ? 'Enter a name.' : null;
  const emailError = /^[^\s@]+@\S+$/.test(email.trim())
    ? null
    : 'Enter an email address, such as ana@example.com.';
  const save = async () => {
    setChecked(true);
    if (nameError !== null || emailError !== null) return false;
    const body = {
      ...(name.trim() !== partner.name && { name: name.trim() }),
      ...(email.trim() !== partner.email && { email: email.trim() }),
    };
    if (Object.keys(body).length === 0) return true;
    return mutateAsync({ method: 'PUT', path: `${api}/partners/${partner.id}`, body });
  };
  return (
    <FormDialog title="Edit the partner" submit="Save" onSubmit={save} onClose={onClose}>
      <TextField label="Name" value={name} onInput={setName} error={isChecked ? nameError : null} autofocus />
      <TextField
        label="Email"
        type="email"
        hint="It changes in every program of this workspace."
        value={email}
        onInput={setEmail}
        error={isChecked ? emailError : null}
      />
    </FormDialog>
  );
}
