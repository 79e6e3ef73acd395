import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/setup.tsx';
import type { ItemReply, TestChain } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { ErrorNotice } from '../../ui/state.tsx';

/** Sends a click, a sign-up and a sale in test mode, and shows the result. */
export function TestEvent(): JSX.Element {
  const { api } = useProgram();
  const { mutate, data, error, isPending } = useChange<ItemReply<TestChain>>(`${api}/integration`);
  const failed = data?.data.steps.filter(({ ok }) => !ok) ?? [];
  return (
    <div class="stack tight">
      <div class="row">
        <Button
          busy={isPending}
          onClick={() => mutate({ method: 'POST', path: `${api}/test-event`, body: {} })}
        >
          {messages.sendTest}
        </Button>
        <output class="small quiet">{data?.data.healthy && messages.testArrived}</output>
      </div>
      <p class="small quiet">{messages.testAbout}</p>
      {error && <ErrorNotice error={error} />}
      {failed.map(({ step, message }) => (
        <p key={step} class="notice bad small">
          {messages.testFailed(common.eventNames[step], message)}
        </p>
      ))}
    </div>
  );
}
