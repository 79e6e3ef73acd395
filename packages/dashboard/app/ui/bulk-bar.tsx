import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/ui.tsx';
import type { BulkReply, BulkResult } from '../api/types.ts';
import { useChange } from '../api/use-api.ts';
import { useRequestKey } from '../api/use-request-key.ts';
import { BulkResults } from './bulk-results.tsx';
import { Button } from './controls.tsx';
import { FormDialog } from './dialog.tsx';
import { useToast } from './toast.tsx';

export interface BulkAction {
  /** The value of `action` in the request. */
  readonly action: string;
  readonly text: string;
  /** The selected rows that the action can change. */
  readonly ids: readonly number[];
  /** The message after success, such as `12 partners approved.` */
  readonly done: (count: number) => string;
  /** The dialog that asks for confirmation. Without it, the action runs immediately. */
  readonly confirm?: {
    readonly title: (count: number) => string;
    readonly warning: string;
    /** Whether the action is harmless, so that its button has no warning color. */
    readonly isSafe?: boolean;
  };
}

export interface BulkBarProps {
  /** The number of selected rows. */
  readonly count: number;
  readonly onDone: () => void;
  /** The path of the bulk route. */
  readonly path: string;
  readonly refresh: string;
  readonly actions: readonly BulkAction[];
  /** Returns the name of a selected row. */
  readonly nameOf: (id: number) => string;
  /** The sum of the amounts in the selected rows. */
  readonly sum?: string;
}

/** The actions for the selected rows. If some rows could not be changed, a dialog shows the result of each row. */
export function BulkBar({
  count,
  onDone,
  path,
  refresh,
  actions,
  nameOf,
  sum,
}: BulkBarProps): JSX.Element | null {
  const { mutateAsync, isPending } = useChange<BulkReply>(refresh);
  const toast = useToast();
  const [asking, setAsking] = useState<BulkAction | null>(null);
  const [results, setResults] = useState<readonly BulkResult[] | null>(null);
  const { keyFor, forget } = useRequestKey();
  // Keeps the names from the start of the action, because the change may remove the rows from the list.
  const names = useRef(nameOf);
  const run = async ({ action, ids, done }: BulkAction) => {
    const body = { ids, action, idempotency_key: keyFor(JSON.stringify([path, action, ...ids])) };
    const { data, meta } = await mutateAsync({ method: 'POST', path, body });
    forget();
    if (meta.failed > 0) setResults(data);
    else toast(done(meta.succeeded));
    onDone();
  };
  const start = (action: BulkAction) => {
    names.current = nameOf;
    if (action.confirm) setAsking(action);
    else run(action).catch((error: Error) => toast(error.message));
  };
  return (
    <>
      {count > 0 && (
        <SelectionBar count={count} sum={sum} onClear={onDone}>
          {actions.map((action) => (
            <Button
              key={action.action}
              busy={isPending}
              disabled={action.ids.length === 0}
              onClick={() => start(action)}
            >
              {messages.forRows(action.text, action.ids.length)}
            </Button>
          ))}
        </SelectionBar>
      )}
      {asking?.confirm && (
        <FormDialog
          title={asking.confirm.title(asking.ids.length)}
          submit={asking.text}
          danger={!asking.confirm.isSafe}
          onSubmit={() => run(asking)}
          onClose={() => setAsking(null)}
        >
          <p>{asking.confirm.warning}</p>
        </FormDialog>
      )}
      {results && <BulkResults results={results} nameOf={names.current} onClose={() => setResults(null)} />}
    </>
  );
}

/** The number of selected rows, and the actions for them. */
export function SelectionBar({
  count,
  sum = '',
  onClear,
  children,
}: {
  count: number;
  sum?: string | undefined;
  onClear: () => void;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="bulk" role="toolbar" aria-label={messages.selectedRows}>
      <span>
        {sum === '' ? messages.selected(count) : messages.selectedSum(messages.selected(count), sum)}
      </span>
      {children}
      <Button kind="plain" onClick={onClear}>
        {common.clear}
      </Button>
    </div>
  );
}
