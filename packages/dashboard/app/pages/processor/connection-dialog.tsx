import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ProcessorConnection } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useWorkspace } from '../../session/session.tsx';
import { CheckField, SelectField, TextField } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { CONNECTIONS_PATH } from './connections-path.ts';

const MODE_CHOICES = [
  { value: 'live', text: 'Live mode' },
  { value: 'test', text: 'Test mode or sandbox' },
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
  const accountError = /^\S+$/.test(account.trim()) ? null : 'Enter the account id, such as acct_1A2b3C.';
  const secretError = checkSecret(secret.trim(), isNew);
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
      title={isNew ? 'Connect Stripe' : 'Change the connection'}
      submit={isNew ? 'Connect' : 'Save'}
      onSubmit={save}
      onClose={onClose}
    >
      {isNew && (
        <p class="quiet">
          At Stripe, open Developers → Webhooks and add an endpoint. Enter any address for now; the next step
          gives you the right one. Then copy its signing secret.
        </p>
      )}
      <TextField
        label="Signing secret"
        type="password"
        autocomplete="off"
        hint={
          isNew
            ? 'Starts with whsec_. It is stored encrypted and never shown again.'
            : 'Leave it empty to keep the current one. After a change, the old secret works for 24 more hours.'
        }
        value={secret}
        onInput={setSecret}
        error={isChecked ? secretError : null}
        autofocus={isNew}
      />
      <TextField
        label="Stripe account id"
        hint="Starts with acct_. At Stripe, it is under Settings → Account details."
        value={account}
        onInput={setAccount}
        error={isChecked ? accountError : null}
      />
      <SelectField
        label="Mode"
        value={mode}
        choices={MODE_CHOICES}
        onChange={setMode}
        hint={
          mode === 'test'
            ? 'Test payments count like real ones here. Use a workspace of its own for them.'
            : 'Payments in test mode are ignored.'
        }
      />
      {mode === 'live' && (
        <CheckField
          label="Record test payments as test sales"
          hint="To check the setup. They earn nothing and are not in the figures."
          checked={recordsTests}
          onChange={setRecordsTests}
        />
      )}
    </FormDialog>
  );
}

function checkSecret(secret: string, isRequired: boolean): string | null {
  if (secret === '') return isRequired ? 'Enter the signing secret of the endpoint.' : null;
  return /\s/.test(secret) ? 'A signing secret has no spaces.' : null;
}
