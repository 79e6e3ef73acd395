import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/processor.tsx';
import type { ProcessorConnection } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useWorkspace } from '../../session/session.tsx';
import { CheckField, SelectField, TextField } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { CONNECTIONS_PATH } from './connections-path.ts';

const MODE_CHOICES = [
  { value: 'live', text: messages.modes.live },
  { value: 'test', text: messages.modes.test },
] as const;

type Mode = ProcessorConnection['mode'];

/** Connects Stripe, or changes a connection. */
export function ConnectionDialog({
  connection,
  onClose,
}: {
  connection: ProcessorConnection | null;
  onClose: () => void;
}): JSX.Element {
  const { id: workspace_id } = useWorkspace();
  const { mutateAsync } = useChange(CONNECTIONS_PATH, '/api/advertiser/affiliate-programs');
  const [account, setAccount] = useState(connection?.account_id ?? '');
  const [secret, setSecret] = useState('');
  const [mode, setMode] = useState<Mode>(connection?.mode ?? 'live');
  const [recordsTests, setRecordsTests] = useState(connection?.record_test_events ?? false);
  const [isChecked, setChecked] = useState(false);
  const isNew = connection === null;
  const accountError = /^\S+$/.test(account.trim()) ? null : messages.accountIdMissing;
  const secretError = checkWebhookSecret(secret.trim(), isNew);
  const save = async () => {
    setChecked(true);
    if (accountError ?? secretError) return false;
    const settings = {
      account_id: account.trim(),
      mode,
      record_test_events: mode === 'live' && recordsTests,
      ...(secret.trim() !== '' && { webhook_secret: secret.trim() }),
    };
    return isNew
      ? mutateAsync({
          method: 'POST',
          path: CONNECTIONS_PATH,
          body: { processor: 'stripe', ...settings, workspace_id },
        })
      : mutateAsync({ method: 'PUT', path: `${CONNECTIONS_PATH}/${connection.id}`, body: settings });
  };
  return (
    <FormDialog
      title={isNew ? messages.connect : messages.editTitle}
      submit={isNew ? messages.connectSubmit : common.save}
      onSubmit={save}
      onClose={onClose}
    >
      {isNew && <p class="quiet">{messages.connectText}</p>}
      <TextField
        label={messages.secret}
        type="password"
        autocomplete="off"
        hint={isNew ? messages.secretHint : messages.newSecretHint}
        value={secret}
        onInput={setSecret}
        error={isChecked ? secretError : null}
        autofocus={isNew}
      />
      <TextField
        label={messages.accountId}
        hint={messages.accountIdHint}
        value={account}
        onInput={setAccount}
        error={isChecked ? accountError : null}
      />
      <SelectField
        label={messages.mode}
        value={mode}
        choices={MODE_CHOICES}
        onChange={setMode}
        hint={messages.modeHints[mode]}
      />
      {mode === 'live' && (
        <CheckField
          label={messages.recordTests}
          hint={messages.recordTestsHint}
          checked={recordsTests}
          onChange={setRecordsTests}
        />
      )}
    </FormDialog>
  );
}

function checkWebhookSecret(secret: string, isRequired: boolean): string | null {
  if (secret === '') return isRequired ? messages.secretMissing : null;
  return /\s/.test(secret) ? messages.secretInvalid : null;
}
