import type { JSX } from 'preact';
import * as messages from '#messages/welcome.tsx';
import { pageUrl } from '../../mount.ts';
import { Icon } from '../../ui/icons.tsx';

export type WelcomeStep = keyof typeof messages.stepNames;

export const WELCOME_STEPS = Object.keys(messages.stepNames) as readonly WelcomeStep[];

/** The list of steps. The steps that the user may open are links. */
export function WelcomeSteps({
  current,
  skipped = [],
  urlOf,
}: {
  current: WelcomeStep;
  /** The unfinished steps before the current step. */
  skipped?: readonly WelcomeStep[];
  /** Returns the path of a step, or null when the step cannot be opened now. */
  urlOf: (step: WelcomeStep) => string | null;
}): JSX.Element {
  const position = WELCOME_STEPS.indexOf(current);
  return (
    <ol class="steps" aria-label={messages.steps}>
      {WELCOME_STEPS.map((step, index) => {
        const url = step === current ? null : urlOf(step);
        const isDone = index < position && !skipped.includes(step);
        const content = (
          <>
            <span class="step-number">{isDone ? <Icon name="check" size={12} /> : index + 1}</span>
            {messages.stepNames[step]}
            {isDone && <span class="hidden"> {messages.isDone}</span>}
          </>
        );
        return (
          <li
            key={step}
            class={isDone ? 'done' : undefined}
            aria-current={step === current ? 'step' : undefined}
          >
            {url === null ? <span>{content}</span> : <a href={pageUrl(url)}>{content}</a>}
          </li>
        );
      })}
    </ol>
  );
}
