import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import type { Choice } from './controls.tsx';
import { useQueryState } from './use-query-state.ts';

/** Links to choose a value, which is stored in a parameter of the URL. */
export function ChoiceLinks<Value extends string>({
  label,
  parameter,
  choices,
  value,
}: {
  label: string;
  parameter: string;
  choices: readonly Choice<Value>[];
  value: Value;
}): JSX.Element {
  const [query] = useQueryState();
  const { path } = useLocation();
  return (
    <nav class="choices" aria-label={label}>
      {choices.map((choice) => (
        <a
          key={choice.value}
          href={`${path}?${new URLSearchParams({ ...query, [parameter]: choice.value })}`}
          aria-current={choice.value === value ? 'true' : undefined}
        >
          {choice.text}
        </a>
      ))}
    </nav>
  );
}
