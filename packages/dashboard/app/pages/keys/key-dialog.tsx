import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/keys.ts';
import type { CreatedApiKey, ItemReply } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useWorkspace } from '../../session/session.tsx';
import { Button, Segments, SelectField, TextField } from '../../ui/controls.tsx';
import { CopySecret } from '../../ui/copy-secret.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { EXPIRY_CHOICES, expiresAt, type KeyExpiry } from './expiry.ts';
import { ProgramFields, ScopeFields } from './key-fields.tsx';
import { KEYS_PATH } from './keys-path.ts';
import { type KeyScope, READ_SCOPES } from './scopes.ts';

type KeyAccess = keyof typeof messages.accesses;

const ACCESS_CHOICES = (['read', 'custom', 'all'] as const).map((value) => ({
  value,
  text: messages.accesses[value],
}));

/** Creates a key, and then shows it. The key cannot be shown again later. */
export function KeyDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const { id: workspace_id, programs } = useWorkspace();
  const { mutateAsync } = useChange<ItemReply<CreatedApiKey>>(KEYS_PATH);
  const [name, setName] = useState('');
  const [access, setAccess] = useState<KeyAccess>('read');
  const [chosen, setChosen] = useState<ReadonlySet<KeyScope>>(new Set());
  const [programIds, setProgramIds] = useState<ReadonlySet<number> | null>(null);
  const [expiry, setExpiry] = useState<KeyExpiry>('90');
  const [date, setDate] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  if (created) return <NewKey apiKey={created} onClose={onClose} />;

  const scopes: readonly KeyScope[] =
    access === 'all' ? ['*'] : access === 'read' ? READ_SCOPES : [...chosen];
  const nameError = name.trim() === '' ? common.nameMissing : null;
  const scopesError = scopes.length === 0 ? messages.scopesMissing : null;
  const programsError = programIds?.size === 0 ? messages.programsMissing : null;
  const expires = expiresAt(expiry, date);
  const dateError = expires === undefined ? messages.expiryDateInvalid : null;
  const save = async () => {
    setChecked(true);
    if (nameError ?? scopesError ?? programsError ?? dateError) return false;
    const body = {
      name: name.trim(),
      scopes,
      program_scope: programIds && [...programIds],
      expires_at: expires ?? null,
      workspace_id,
    };
    setCreated((await mutateAsync({ method: 'POST', path: KEYS_PATH, body, ifLost: messages.lost })).data);
    return false;
  };
  return (
    <FormDialog title={messages.create} submit={messages.createSubmit} wide onSubmit={save} onClose={onClose}>
      <TextField
        label={common.name}
        hint={messages.nameHint}
        value={name}
        onInput={setName}
        error={isChecked ? nameError : null}
        autofocus
      />
      <div class="field">
        <span class="label">{messages.access}</span>
        <div>
          <Segments label={messages.access} value={access} choices={ACCESS_CHOICES} onChange={setAccess} />
        </div>
        <span class="hint">{messages.accessHints[access]}</span>
      </div>
      {access === 'custom' && (
        <ScopeFields chosen={chosen} onChange={setChosen} error={isChecked ? scopesError : null} />
      )}
      <ProgramFields
        programs={programs}
        chosen={programIds}
        onChange={setProgramIds}
        error={isChecked ? programsError : null}
      />
      <div class="grid fields">
        <SelectField label={messages.expires} value={expiry} choices={EXPIRY_CHOICES} onChange={setExpiry} />
        {expiry === 'date' && (
          <TextField
            label={messages.expiryDate}
            type="date"
            value={date}
            onInput={setDate}
            error={isChecked ? dateError : null}
          />
        )}
      </div>
    </FormDialog>
  );
}

function NewKey({
  apiKey: { name, key },
  onClose,
}: {
  apiKey: CreatedApiKey;
  onClose: () => void;
}): JSX.Element {
  return (
    <Dialog title={name} onClose={onClose}>
      <CopySecret label={messages.createdKey} hint={messages.createdKeyHint} text={key} />
      <div class="dialog-end">
        <Button kind="primary" onClick={onClose}>
          {common.done}
        </Button>
      </div>
    </Dialog>
  );
}
