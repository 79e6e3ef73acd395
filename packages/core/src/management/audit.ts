import type { Author, Runtime } from '../runtime.ts';
import { insertAuditRow } from '../storage/accounts/audit-log.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';

type AuditState = Readonly<Record<string, string | number | boolean | null | readonly unknown[]>>;

/** A change of one row, for the audit log. `before` and `after` must not contain secrets, not even as hashes. */
export interface AuditChange {
  readonly workspaceId: number;
  readonly programId?: number;
  /** The kind of row and the operation, such as `program.update`. */
  readonly action: string;
  readonly subjectId: number;
  /** The previous state, or null for a new row. */
  readonly before: AuditState | null;
  /** The new state, or null for a deleted row. */
  readonly after: AuditState | null;
  /** @default the caller of the request */
  readonly author?: Author;
}

/**
 * Writes a change to the audit log, in the transaction that makes the change. For an update, only the
 * changed fields are stored, plus the currency if an amount has changed. An update without any change is skipped.
 */
export async function recordChange(tx: Transaction, runtime: Runtime, change: AuditChange): Promise<void> {
  const { before, after } = pickDifferences(change.before, change.after);
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

function pickDifferences(
  before: AuditState | null,
  after: AuditState | null,
): { before: AuditState | null; after: AuditState | null } {
  if (before === null || after === null) return { before, after };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  // The currency is stored too if an amount has changed, because it may differ from the currency of the program.
  const hasAmount = names.some((name) => name.endsWith('_cents'));
  if (hasAmount && 'currency' in after && !names.includes('currency')) names.push('currency');
  const pick = (state: AuditState) => Object.fromEntries(names.map((name) => [name, state[name] ?? null]));
  return { before: pick(before), after: pick(after) };
}
