import type { JSX } from 'preact';
import * as messages from '#messages/ui.tsx';
import { useQueryState } from './use-query-state.ts';

/** Two date fields in UTC. Their values are `dateFrom` and `dateTo` in the URL. */
export function DateRange(): JSX.Element {
  const [{ dateFrom = '', dateTo = '' }, change] = useQueryState();
  return (
    <div class="row">
      <input
        type="date"
        class="input"
        aria-label={messages.dateFrom}
        title={messages.dateFrom}
        max={dateTo || undefined}
        value={dateFrom}
        onChange={(event) => change({ dateFrom: event.currentTarget.value })}
      />
      <span class="quiet">{messages.betweenDates}</span>
      <input
        type="date"
        class="input"
        aria-label={messages.dateTo}
        title={messages.dateTo}
        min={dateFrom || undefined}
        value={dateTo}
        onChange={(event) => change({ dateTo: event.currentTarget.value })}
      />
    </div>
  );
}
