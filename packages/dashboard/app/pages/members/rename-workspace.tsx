import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/members.ts';
import { ME } from '../../api/session-requests.ts';
import { useChange } from '../../api/use-api.ts';
import { useWorkspace } from '../../session/session.tsx';
import { TextField } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

/** Changes the name of the workspace. */
export function RenameWorkspace({ onClose }: { onClose: () => void }): JSX.Element {
  const { id, name: current } = useWorkspace();
  const { mutateAsync } = useChange(ME);
  const toast = useToast();
  const [name, setName] = useState(current);
  const [isChecked, setChecked] = useState(false);
  const save = async () => {
    setChecked(true);
    if (name.trim() === '') return false;
    await mutateAsync({
      method: 'PUT',
      path: `/api/advertiser/workspaces/${id}`,
      body: { name: name.trim() },
    });
    toast(messages.renamed);
    return true;
  };
  return (
    <FormDialog title={messages.rename} submit={common.save} onSubmit={save} onClose={onClose}>
      <TextField
        label={messages.workspaceName}
        hint={messages.renameHint}
        autocomplete="organization"
        maxLength={255}
        value={name}
        onInput={setName}
        error={isChecked && name.trim() === '' ? common.nameMissing : null}
        autofocus
      />
    </FormDialog>
  );
}
