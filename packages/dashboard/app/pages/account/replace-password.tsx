import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import * as messages from '#messages/account.ts';
import * as common from '#messages/common.ts';
import { pageUrl } from '../../mount.ts';
import { useSignOut } from '../../session/use-sign-out.ts';
import { Button } from '../../ui/controls.tsx';
import { AlonePage } from '../sign-in/alone-page.tsx';
import { PasswordForm } from './password-form.tsx';

/**
 * Replaces a password that another person has set. Until the user does this, the session allows nothing else.
 */
export function ReplacePassword({ email }: { email: string }): JSX.Element {
  const client = useQueryClient();
  const { route } = useLocation();
  const signOut = useSignOut();
  const start = () => {
    route(pageUrl('/'), true);
    void client.resetQueries();
  };
  return (
    <AlonePage title={messages.replaceTitle}>
      <p>{messages.replaceReason(email)}</p>
      <PasswordForm email={email} currentLabel={messages.receivedPassword} onChanged={start} />
      <div>
        <Button kind="plain" onClick={signOut}>
          {common.signOut}
        </Button>
      </div>
    </AlonePage>
  );
}
