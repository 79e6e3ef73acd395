import type { JSX } from 'preact';
import * as messages from '#messages/ui.tsx';
import { useTypedState } from './use-typed-state.ts';

/** Two date fields in UTC. Their values are `dateFrom` and `dateTo` in the URL. */
export function DateRange(): JSX.Element {
  const from = useTypedState('dateFrom');
  const to = useTypedState('dateTo');
  return (
    <div class="row">
      <input
        type="date"
        class={from.value ? 'input' : 'input quiet'}
        aria-label={messages.dateFrom}
        title={messages.dateFrom}
        max={to.value || undefined}
        value={from.value}
        onChange={(event) => from.type(event.currentTarget.value)}
        onBlur={from.leave}
      />
      <span class="quiet">{messages.betweenDates}</span>
      <input
        type="date"
        class={to.value ? 'input' : 'input quiet'}
        aria-label={messages.dateTo}
        title={messages.dateTo}
        min={from.value || undefined}
        value={to.value}
        onChange={(event) => to.type(event.currentTarget.value)}
        onBlur={to.leave}
      />
    </div>
  );
}
