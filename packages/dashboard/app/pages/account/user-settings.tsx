import { useQueryClient } from '@tanstack/preact-query';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/account.ts';
import * as common from '#messages/common.ts';
import { ME } from '../../api/session-requests.ts';
import { useChange } from '../../api/use-api.ts';
import { useSession } from '../../session/session.tsx';
import { useSignOut } from '../../session/use-sign-out.ts';
import { Button, TextField } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import { EmailPreferences } from './email-preferences.tsx';
import { PasswordForm } from './password-form.tsx';
import { SESSIONS_PATH, Sessions } from './sessions.tsx';

/** The settings of the signed-in user: name, password, emails, and sessions. */
export function UserSettings({
  memberships,
  children,
}: {
  /** Rows of the profile, such as the user's role in each workspace. */
  memberships: ComponentChildren;
  /** Further sections, after the sessions. */
  children?: ComponentChildren;
}): JSX.Element {
  const { user } = useSession().me;
  const signOut = useSignOut();
  const toast = useToast();
  const client = useQueryClient();
  const [isRenaming, setRenaming] = useState(false);
  const passwordChanged = () => {
    toast(messages.passwordChanged);
    void client.invalidateQueries({ queryKey: [SESSIONS_PATH] });
  };
  return (
    <Page title={common.account} actions={<Button onClick={signOut}>{common.signOut}</Button>}>
      <div class="stack">
        <div class="grid">
          <section class="card" aria-labelledby="profile">
            <h2 id="profile">{messages.profile}</h2>
            <div class="stack">
              <dl class="facts">
                <dt>{common.name}</dt>
                <dd>{user.name}</dd>
                <dt>{common.email}</dt>
                <dd>{user.email}</dd>
                {memberships}
              </dl>
              <div>
                <Button onClick={() => setRenaming(true)}>{messages.changeName}</Button>
              </div>
            </div>
          </section>
          <section class="card" aria-labelledby="password">
            <h2 id="password">{common.password}</h2>
            <PasswordForm
              email={user.email}
              currentLabel={messages.currentPassword}
              onChanged={passwordChanged}
            />
          </section>
        </div>
        <EmailPreferences />
        <Sessions />
        {children}
      </div>
      {isRenaming && <Rename current={user.name} onClose={() => setRenaming(false)} />}
    </Page>
  );
}

function Rename({ current, onClose }: { current: string; onClose: () => void }): JSX.Element {
  const { mutateAsync } = useChange(ME);
  const toast = useToast();
  const [name, setName] = useState(current);
  const [isChecked, setChecked] = useState(false);
  const save = async () => {
    setChecked(true);
    if (name.trim() === '') return false;
    await mutateAsync({ method: 'PUT', path: ME, body: { name: name.trim() } });
    toast(messages.nameChanged);
    return true;
  };
  return (
    <FormDialog title={messages.nameTitle} submit={common.save} onSubmit={save} onClose={onClose}>
      <TextField
        label={common.name}
        hint={messages.nameHint}
        autocomplete="name"
        maxLength={255}
        value={name}
        onInput={setName}
        error={isChecked && name.trim() === '' ? common.nameMissing : null}
        autofocus
      />
    </FormDialog>
  );
}
