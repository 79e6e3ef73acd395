import type { requestedPasswordResetReply } from '@affkit/protocol';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { z } from 'zod';
import * as common from '#messages/common.ts';
import * as messages from '#messages/reset.ts';
import { send } from '../../api/client.ts';
import { Button, TextField } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Link } from '../../ui/link.tsx';
import { ErrorNotice } from '../../ui/state.tsx';
import { AlonePage } from '../sign-in/alone-page.tsx';
import { typedEmail } from '../sign-in/typed-email.ts';
import { resetCommand } from './command.ts';
import { useAction } from './use-action.ts';

type Delivery = z.output<typeof requestedPasswordResetReply>['delivery'];

const EMAIL = /^[^\s@]+@[^\s@]+$/;

/**
 * Requests a reset link, or explains how to get one. The server does not reveal who has an account.
 */
export function ForgotPassword(): JSX.Element {
  const [email, setEmail] = useState(typedEmail.value);
  const [isChecked, setChecked] = useState(false);
  const [delivery, setDelivery] = useState<Delivery | null>(null);
  const { isBusy, error, run } = useAction();
  const address = email.trim();
  const isValid = EMAIL.test(address);

  const request = async () => {
    setChecked(true);
    if (!isValid) return;
    await run(async () => {
      const reply = await send<{ delivery: Delivery }>('POST', '/api/auth/password-reset', {
        email: address,
      });
      setDelivery(reply.delivery);
    });
  };

  if (delivery !== null) {
    return (
      <AlonePage title={delivery === 'email' ? messages.sentTitle : messages.askTitle}>
        {delivery === 'email' ? (
          <>
            <p>{messages.sent(address)}</p>
            <p>{messages.notArrived}</p>
          </>
        ) : (
          <>
            <p>{messages.noMail}</p>
            <CopyText label={messages.command} text={resetCommand(address)} hint={messages.commandHint} />
          </>
        )}
        <div class="row">
          <Button onClick={() => setDelivery(null)}>{messages.otherEmail}</Button>
          <Link to="/sign-in">{messages.backToSignIn}</Link>
        </div>
      </AlonePage>
    );
  }
  return (
    <AlonePage title={messages.forgotTitle}>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void request();
        }}
      >
        <TextField
          label={common.email}
          type="email"
          autocomplete="username"
          autofocus
          error={isChecked && !isValid ? common.emailMissing : null}
          value={email}
          onInput={setEmail}
        />
        {error && <ErrorNotice error={error} />}
        <Button type="submit" kind="primary" busy={isBusy}>
          {messages.next}
        </Button>
        <p class="small">
          <Link to="/sign-in">{messages.backToSignIn}</Link>
        </p>
      </form>
    </AlonePage>
  );
}
