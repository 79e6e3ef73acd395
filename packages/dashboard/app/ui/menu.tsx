import type { JSX } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { Icon } from './icons.tsx';

export interface MenuAction {
  readonly text: string;
  readonly run: () => void;
  readonly danger?: boolean;
}

/** A button that opens a list of actions. It uses a native popover. */
export function ActionMenu({
  label,
  actions,
}: {
  label: string;
  actions: readonly MenuAction[];
}): JSX.Element | null {
  const id = useId();
  const ref = useRef<HTMLDivElement>(null);
  if (actions.length === 0) return null;
  return (
    <>
      <button type="button" class="button plain square" popovertarget={id} aria-label={label} title={label}>
        <Icon name="more" />
      </button>
      <div ref={ref} class="menu" id={id} popover="auto">
        {actions.map(({ text, run, danger }) => (
          <button
            key={text}
            type="button"
            class={danger ? 'bad' : undefined}
            onClick={() => {
              ref.current?.hidePopover();
              run();
            }}
          >
            {text}
          </button>
        ))}
      </div>
    </>
  );
}
