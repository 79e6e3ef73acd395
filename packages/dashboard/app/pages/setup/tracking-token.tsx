import type { JSX } from 'preact';
import * as messages from '#messages/setup.tsx';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { useOverlay } from '../../ui/use-overlay.tsx';

const loadNewToken = () => import('./new-token.tsx').then((module) => module.NewToken);

/** The masked tracking token of the program, and a button to replace it. A dialog shows the new token. */
export function TrackingToken(): JSX.Element {
  const { program, may } = useProgram();
  const [dialog, openDialog] = useOverlay(loadNewToken, {});
  return (
    <div class="row apart token">
      <div>
        <span class="label">{messages.token}</span>
        <span class="sub">
          <code>{program.api_token_masked}</code> · {messages.tokenShownOnce}
        </span>
      </div>
      {may('program:regenerate-token') && <Button onClick={openDialog}>{messages.newToken}</Button>}
      {dialog}
    </div>
  );
}
