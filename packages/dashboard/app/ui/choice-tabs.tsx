import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import type { Choice } from './controls.tsx';
import { useQueryState } from './use-query-state.ts';

/** Tabs whose choice is a parameter of the URL. The first choice is the default. */
export function ChoiceTabs<Value extends string>({
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
    <nav class="tabs" aria-label={label}>
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
