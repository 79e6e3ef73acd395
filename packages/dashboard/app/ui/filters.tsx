import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import * as messages from '#messages/ui.tsx';
import { Button } from './controls.tsx';

/** The filters of a list. On a narrow screen, a button opens all filters except the search. */
export function Filters({
  search,
  count,
  children,
}: {
  search?: ComponentChildren;
  /** The number of active filters. The search is not counted. */
  count: number;
  children: ComponentChildren;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <div class="filters">
      {search}
      <span class="filters-toggle">
        <Button expanded={isOpen} controls={id} onClick={() => setOpen(!isOpen)}>
          {messages.filters(count)}
        </Button>
      </span>
      <div id={id} class={isOpen ? 'filters-more open' : 'filters-more'}>
        {children}
      </div>
    </div>
  );
}
