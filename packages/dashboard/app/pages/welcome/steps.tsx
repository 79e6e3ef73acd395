import type { JSX } from 'preact';
import { pageUrl } from '../../mount.ts';
import { Icon } from '../../ui/icons.tsx';

export const STEPS = ['program', 'commission', 'site', 'partner', 'click'] as const;

export type Step = (typeof STEPS)[number];

const TITLES: Readonly<Record<Step, string>> = {
  program: 'Program',
  commission: 'Commission',
  site: 'Your site',
  partner: 'First partner',
  click: 'First click',
};

/** The steps in order. Those that the user may open are links. */
export function Steps({
  current,
  urlOf,
}: {
  current: Step;
  /** Path of a step, or null when it cannot be opened now. */
  urlOf: (step: Step) => string | null;
}): JSX.Element {
  const position = STEPS.indexOf(current);
  return (
    <ol class="steps" aria-label="Steps">
      {STEPS.map((step, index) => {
        const url = step === current ? null : urlOf(step);
        const isDone = index < position;
        const content = (
          <>
            <span class="step-number">{isDone ? <Icon name="check" size={12} /> : index + 1}</span>
            {TITLES[step]}
            {isDone && <span class="hidden"> (done)</span>}
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
