import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { newIdempotencyKey } from '../api/idempotency-key.ts';
import type { BulkReply, BulkResult } from '../api/types.ts';
import { useChange } from '../api/use-api.ts';
import { formatCount } from '../format/number.ts';
import { Button } from './controls.tsx';
import { Dialog, FormDialog } from './dialog.tsx';
import { Badge } from './state.tsx';
import { useToast } from './toast.tsx';

export interface BulkAction {
  /** Value of `action` in the request. */
  readonly action: string;
  readonly text: string;
  /** The message afterwards: `12 partners approved.` */
  readonly done: (count: number) => string;
  /** What the dialog says that asks first. Without it, the action runs at once. */
  readonly warning?: string;
}

export interface BulkBarProps {
  readonly ids: ReadonlySet<number>;
  readonly onDone: () => void;
  /** Path of the bulk route, and the prefix of what to read again. */
  readonly path: string;
  readonly refresh: string;
  readonly actions: readonly BulkAction[];
  /** The question of the dialog: `Ban 12 partners?` */
  readonly title: (action: string, count: number) => string;
  readonly nameOf: (id: number) => string;
}

/** Actions for the selected rows, with a result for each row that could not be changed. */
export function BulkBar({
  ids,
  onDone,
  path,
  refresh,
  actions,
  title,
  nameOf,
}: BulkBarProps): JSX.Element | null {
  const { mutateAsync, isPending } = useChange<BulkReply>(refresh);
  const toast = useToast();
  const [asking, setAsking] = useState<BulkAction | null>(null);
  const [results, setResults] = useState<readonly BulkResult[] | null>(null);
  const run = async ({ action, done }: BulkAction) => {
    // A repeat after a lost reply gets the first results.
    const body = { ids: [...ids], action, idempotency_key: newIdempotencyKey() };
    const { data, meta } = await mutateAsync({ method: 'POST', path, body });
    if (meta.failed > 0) setResults(data);
    else toast(done(meta.succeeded));
    onDone();
  };
  const start = (action: BulkAction) => {
    if (action.warning !== undefined) setAsking(action);
    else run(action).catch((error: Error) => toast(error.message));
  };
  return (
    <>
      {ids.size > 0 && (
        <div class="bulk" role="toolbar" aria-label="Selected rows">
          <span>{formatCount(ids.size)} selected</span>
          {actions.map((action) => (
            <Button key={action.action} busy={isPending} onClick={() => start(action)}>
              {action.text}
            </Button>
          ))}
          <Button kind="plain" onClick={onDone}>
            Clear
          </Button>
        </div>
      )}
      {asking && (
        <FormDialog
          title={title(asking.text, ids.size)}
          submit={asking.text}
          danger
          onSubmit={() => run(asking)}
          onClose={() => setAsking(null)}
        >
          <p>{asking.warning}</p>
        </FormDialog>
      )}
      {results && <Results results={results} nameOf={nameOf} onClose={() => setResults(null)} />}
    </>
  );
}

function Results({
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
    <Dialog
      title={`${formatCount(failed)} of ${formatCount(results.length)} were not changed`}
      onClose={onClose}
    >
      <ul class="entries">
        {results.map((result) => (
          <li key={result.id}>
            <div class="row apart">
              <span>{nameOf(result.id)}</span>
              {result.ok ? <Badge tone="good">Done</Badge> : <Badge tone="bad">Not changed</Badge>}
            </div>
            {!result.ok && <span class="quiet small">{result.error}</span>}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
