import type { JSX } from 'preact';
import { useQueryState } from './use-query-state.ts';

/** Two dates in UTC, as `dateFrom` and `dateTo` of the URL. */
export function DateRange(): JSX.Element {
  const [{ dateFrom = '', dateTo = '' }, change] = useQueryState();
  return (
    <div class="row">
      <input
        type="date"
        class="input"
        aria-label="From (UTC)"
        title="From (UTC)"
        max={dateTo || undefined}
        value={dateFrom}
        onChange={(event) => change({ dateFrom: event.currentTarget.value })}
      />
      <span class="quiet">to</span>
      <input
        type="date"
        class="input"
        aria-label="To (UTC)"
        title="To (UTC)"
        min={dateFrom || undefined}
        value={dateTo}
        onChange={(event) => change({ dateTo: event.currentTarget.value })}
      />
    </div>
  );
}
