import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/setup.tsx';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { NewToken } from './new-token.tsx';

/** The tracking token of the program. It is masked unless it is new. */
export function TrackingToken(): JSX.Element {
  const { program, may } = useProgram();
  const [isRenewing, setRenewing] = useState(false);
  return (
    <div class="row apart token">
      <div>
        <span class="label">{messages.token}</span>
        <span class="sub">
          <code>{program.api_token_masked}</code> · {messages.tokenShownOnce}
        </span>
      </div>
      {may('program:regenerate-token') && (
        <Button onClick={() => setRenewing(true)}>{messages.newToken}</Button>
      )}
      {isRenewing && <NewToken onClose={() => setRenewing(false)} />}
    </div>
  );
}
