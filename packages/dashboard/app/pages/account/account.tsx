import { useQueryClient } from '@tanstack/preact-query';
import { Fragment, type JSX } from 'preact';
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
    toast('Your password is changed. All other devices are signed out.');
    void client.invalidateQueries({ queryKey: [SESSIONS_PATH] });
  };
  return (
    <Page title="Account" actions={<Button onClick={signOut}>Sign out</Button>}>
      <div class="stack">
        <div class="grid">
          <section class="card" aria-labelledby="profile">
            <h2 id="profile">Profile</h2>
            <dl class="facts">
              <dt>Name</dt>
              <dd>{user.name}</dd>
              <dt>Email</dt>
              <dd>{user.email}</dd>
              {workspaces.map(({ id, name, role }) => (
                <Fragment key={id}>
                  <dt>{ROLE_NAMES[role]} of</dt>
                  <dd>{name}</dd>
                </Fragment>
              ))}
            </dl>
          </section>
          <section class="card" aria-labelledby="password">
            <h2 id="password">Password</h2>
            <PasswordForm email={user.email} currentLabel="Current password" onChanged={passwordChanged} />
          </section>
        </div>
        <Sessions />
      </div>
    </Page>
  );
}
