import type { JSX } from 'preact';
import type { ItemReply, TestChain } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { ErrorNotice } from '../../ui/state.tsx';

const NAMES: Readonly<Record<TestChain['steps'][number]['step'], string>> = {
  click: 'Click',
  lead: 'Sign-up',
  sale: 'Sale',
};

/** Sends a click, a sign-up and a sale in test mode, and shows what became of each. */
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
          Send a test event
        </Button>
        <output class="small quiet">{data?.data.healthy && 'All three arrived.'}</output>
      </div>
      <p class="small quiet">A click, a sign-up, and a sale in test mode. They change no figures.</p>
      {error && <ErrorNotice error={error} />}
      {failed.map(({ step, message }) => (
        <p key={step} class="notice bad small">
          {NAMES[step]}: {message}
        </p>
      ))}
    </div>
  );
}
