import type { Author, Runtime } from '../runtime.ts';
import { insertAuditRow } from '../storage/accounts/audit-log.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';

type State = Readonly<Record<string, string | number | boolean | null | readonly unknown[]>>;

/** A change of one row, told by what people may read of it: never a secret, not even hashed. */
export interface Change {
  readonly workspaceId: number;
  readonly programId?: number;
  /** `program.update`: the kind of row, and what was done to it. */
  readonly action: string;
  readonly subjectId: number;
  /** Null where the row is new. */
  readonly before: State | null;
  /** Null where the row is gone. */
  readonly after: State | null;
  /** @default who calls */
  readonly author?: Author;
}

/**
 * Notes who changed what, in the transaction of the change itself. Of an update only the fields that differ are
 * kept; one that changed nothing is not noted.
 */
export async function recordChange(tx: Transaction, runtime: Runtime, change: Change): Promise<void> {
  const { before, after } = differing(change.before, change.after);
  if (before !== null && after !== null && Object.keys(after).length === 0) return;
  const author = change.author ?? runtime.author;
  await insertAuditRow(tx, {
    workspace_id: change.workspaceId,
    program_id: change.programId ?? null,
    actor_kind: author?.kind ?? 'system',
    actor_id: author?.id ?? null,
    action: change.action,
    subject_kind: change.action.split('.')[0] ?? change.action,
    subject_id: change.subjectId,
    state_before: before && JSON.stringify(before),
    state_after: after && JSON.stringify(after),
    request_id: author?.requestId ?? null,
    created_at: runtime.now(),
  });
}

function differing(before: State | null, after: State | null): { before: State | null; after: State | null } {
  if (before === null || after === null) return { before, after };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const pick = (state: State) => Object.fromEntries(names.map((name) => [name, state[name] ?? null]));
  return { before: pick(before), after: pick(after) };
}
