import { useQueryClient } from '@tanstack/preact-query';
import { Fragment, type JSX } from 'preact';
import * as messages from '#messages/account.ts';
import * as common from '#messages/common.ts';
import { useSession } from '../../session/session.tsx';
import { useSignOut } from '../../session/use-sign-out.ts';
import { Button } from '../../ui/controls.tsx';
import { Page } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import { ROLE_NAMES } from '../members/roles.tsx';
import { PasswordForm } from './password-form.tsx';
import { SESSIONS_PATH, Sessions } from './sessions.tsx';

/** The signed-in user: profile, password, and sessions. */
export function Account(): JSX.Element {
  const { me } = useSession();
  const { user, workspaces } = me;
  const signOut = useSignOut();
  const toast = useToast();
  const client = useQueryClient();
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
            <dl class="facts">
              <dt>{common.name}</dt>
              <dd>{user.name}</dd>
              <dt>{common.email}</dt>
              <dd>{user.email}</dd>
              {workspaces.map(({ id, name, role }) => (
                <Fragment key={id}>
                  <dt>{messages.roleOf(ROLE_NAMES[role])}</dt>
                  <dd>{name}</dd>
                </Fragment>
              ))}
            </dl>
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
        <Sessions />
      </div>
    </Page>
  );
}
