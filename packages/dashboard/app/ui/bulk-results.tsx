import type { JSX } from 'preact';
import * as messages from '#messages/ui.tsx';
import type { BulkResult } from '../api/types.ts';
import { Dialog } from './dialog.tsx';
import { Badge } from './state.tsx';

/** The result of each row after a change of several rows. */
export function BulkResults({
  results,
  nameOf,
  onClose,
}: {
  results: readonly BulkResult[];
  nameOf: (id: number) => string;
  onClose: () => void;
}): JSX.Element {
  const failed = results.filter(({ ok }) => !ok).length;
  return (
    <Dialog title={messages.someUnchanged(failed, results.length)} onClose={onClose}>
      <ul class="entries">
        {results.map((result) => (
          <li key={result.id}>
            <div class="row apart">
              <span>{nameOf(result.id)}</span>
              <Badge tone={result.ok ? 'good' : 'bad'}>
                {result.ok ? messages.rowChanged : messages.rowUnchanged}
              </Badge>
            </div>
            {!result.ok && <span class="quiet small">{result.error}</span>}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
