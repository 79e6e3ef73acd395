import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/setup.tsx';
import type { ItemReply, ProgramSetup, SetupStep } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Link } from '../../ui/link.tsx';
import { Badge, ErrorNotice, Skeleton, type Tone } from '../../ui/state.tsx';
import { Time } from '../../ui/values.tsx';
import { TestEvent } from './test-event.tsx';

type Missing = SetupStep['missing'][number];

const SETUP_REFRESH_MS = 3000;

const SETUP_TONES: Readonly<Record<SetupStep['state'], Tone | undefined>> = {
  waiting: undefined,
  tested: 'info',
  received: 'good',
};

/** Returns the events that have arrived. They are reloaded every few seconds. */
export function useSetup(): {
  readonly setup: ProgramSetup | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
} {
  const { api } = useProgram();
  const { data, error, refetch } = useApi<ItemReply<ProgramSetup>>(
    `${api}/integration`,
    {},
    { refreshMs: SETUP_REFRESH_MS },
  );
  return { setup: data?.data, error: data ? null : error, retry: () => void refetch() };
}

/** Shows which events have arrived and what is missing for the others. It is updated live. */
export function LiveCheck(): JSX.Element {
  const { may } = useProgram();
  const { setup, error, retry } = useSetup();
  return (
    <section class="card stack" aria-labelledby="live-check">
      <div class="row apart">
        <h2 id="live-check">{messages.liveCheck}</h2>
        {setup && <span class="live small quiet">{messages.checkInterval}</span>}
      </div>
      {error ? (
        <ErrorNotice error={error} onRetry={retry} />
      ) : setup ? (
        <>
          <ol class="checks">
            {setup.steps.map((step) => (
              <LiveStep key={step.step} step={step} />
            ))}
          </ol>
          <output class="hidden">{describeStepStates(setup.steps)}</output>
        </>
      ) : (
        <div class="stack" aria-busy="true">
          {Object.keys(common.eventNames).map((step) => (
            <Skeleton key={step} height="48px" />
          ))}
        </div>
      )}
      {may('program:update') && <TestEvent />}
    </section>
  );
}

/** Describes the states of the steps. Screen readers announce changes of this text. */
function describeStepStates(steps: readonly SetupStep[]): string {
  return steps
    .map(({ step, state }) => messages.stepState(common.eventNames[step], messages.states[state]))
    .join(', ');
}

/**
 * Whether to show a reason. Leaves out reasons that other lines of the step show, and the general hint after
 * a specific reason.
 */
function isShown({ reason }: Missing, index: number, all: readonly Missing[]): boolean {
  return reason === 'no_event'
    ? index === 0 || all[index - 1]?.reason === 'only_test_events'
    : reason !== 'last_call_rejected' && reason !== 'only_test_events';
}

function LiveStep({
  step: { step, state, total, last_at, last_test_at, last_rejected, missing },
}: {
  step: SetupStep;
}): JSX.Element {
  return (
    <li class={state}>
      <span class="check-mark">{state !== 'waiting' && <Icon name="check" size={12} />}</span>
      <div class="stack tight">
        <div class="row apart">
          <h3>{common.eventNames[step]}</h3>
          <Badge tone={SETUP_TONES[state]}>{messages.states[state]}</Badge>
        </div>
        {last_at !== null && <p class="small quiet">{messages.received(total, <Time at={last_at} />)}</p>}
        {state === 'tested' && <p class="small quiet">{messages.lastTest(<Time at={last_test_at} />)}</p>}
        {last_rejected && <LastRejected call={last_rejected} />}
        {missing.filter(isShown).map(({ reason, why }) => (
          <p key={reason} class="small">
            {reason === 'no_event' ? messages.nothingYet[step] : (messages.missing[reason] ?? why)}
          </p>
        ))}
      </div>
    </li>
  );
}

/** The latest call, if it was rejected. The texts for error codes are loaded only in this case. */
function LastRejected({
  call: { reason, code, refused_at },
}: {
  call: NonNullable<SetupStep['last_rejected']>;
}): JSX.Element {
  const { page, may } = useProgram();
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  useEffect(() => {
    import('#messages/refusals.ts').then(
      ({ refusals }) => setTexts(refusals),
      () => {},
    );
  }, []);
  return (
    <div class="notice bad small">
      <span>
        {messages.lastRejected(
          texts[code] ?? reason,
          <code title={reason}>{code}</code>,
          <Time at={refused_at} />,
        )}
      </span>
      {may('trace:read') && (
        <Link to={`${page}/why?q=${encodeURIComponent(reason.slice(0, 100))}`}>{messages.seeCall}</Link>
      )}
    </div>
  );
}
