import type { Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { insertRows } from '../database/rows.ts';
import type { OutboxKind, Schema } from '../database/schema.ts';
import type { NotificationKind } from '../database/schema-accounts.ts';

export type OutboxRow = Selectable<Schema['outbox']>;

/** Stores a task in the transaction of the event that causes it. */
export async function enqueue(
  tx: Transaction,
  programId: number,
  kind: OutboxKind,
  subjectId: number,
  payload: Record<string, unknown>,
  now: number,
): Promise<void> {
  await tx.db
    .insertInto('outbox')
    .values({
      program_id: programId,
      kind,
      subject_id: subjectId,
      payload: JSON.stringify(payload),
      attempts: 0,
      run_at: now,
      created_at: now,
    })
    .execute();
}

/** A notification to send. */
export interface Notice {
  /** The partner to notify. If null, the advertiser is notified. */
  readonly partnerId: number | null;
  readonly kind: NotificationKind;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The kinds of outbox rows that send notices. */
type NoticeOutboxKind = Exclude<OutboxKind, 'make_commission' | 'decide_renewals' | 'repair_totals'>;

/**
 * Enqueues notices. After the current transaction has been committed, each notice is stored as a notification
 * exactly once.
 */
export async function enqueueNotices(
  tx: Transaction,
  programId: number,
  kind: NoticeOutboxKind,
  subjectId: number,
  notices: readonly Notice[],
  now: number,
): Promise<void> {
  await enqueue(tx, programId, kind, subjectId, { notices }, now);
}

/** The reason for a decision about a customer or sale. */
export interface TraceNote {
  readonly programId: number;
  readonly customerId: number | null;
  readonly saleId: number | null;
  readonly reason: string;
  readonly detail: string | null;
  readonly now: number;
}

export async function addTraceNote(tx: Transaction, note: TraceNote): Promise<void> {
  await addTraceNotes(tx, [note]);
}

/** Stores trace notes in the given order. */
export async function addTraceNotes(tx: Transaction, notes: readonly TraceNote[]): Promise<void> {
  const rows = notes.map((note) => ({
    program_id: note.programId,
    customer_id: note.customerId,
    sale_id: note.saleId,
    reason: note.reason,
    detail: note.detail,
    created_at: note.now,
  }));
  await insertRows(tx, 'trace_notes', rows);
}

/**
 * Finds the outbox row for the commission of a sale, if the commission has not been created yet. Locks the row until
 * the transaction ends.
 */
export async function lockOwedCommission(
  tx: Transaction,
  programId: number,
  saleId: number,
): Promise<{ id: number; payload: string } | null> {
  const rows = await tx.db
    .selectFrom('outbox')
    .select(['id', 'payload'])
    .where('program_id', '=', programId)
    .where('kind', '=', 'make_commission')
    .where('subject_id', '=', saleId)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .execute();
  return rows[0] ?? null;
}

export async function deleteOutboxRow(tx: Transaction, id: number): Promise<void> {
  await tx.db.deleteFrom('outbox').where('id', '=', id).execute();
}

/** Lists due rows, oldest first. Each must be processed in the write lane of its workspace; see `Engine.write`. */
export async function findDueOutbox(
  db: Kysely<Schema>,
  now: number,
  limit: number,
): Promise<{ id: number; workspaceId: number }[]> {
  return await db
    .selectFrom('outbox')
    .innerJoin('programs', 'programs.id', 'outbox.program_id')
    .select(['outbox.id', 'programs.workspace_id as workspaceId'])
    .where('outbox.run_at', '<=', now)
    .orderBy('outbox.run_at')
    .orderBy('outbox.id')
    .limit(limit)
    .execute();
}

/**
 * Locks a row until the transaction ends.
 * @returns null when another process has locked the row, or the row is done
 */
export async function claimOutboxRow(tx: Transaction, id: number): Promise<OutboxRow | null> {
  const row = await tx.db
    .selectFrom('outbox')
    .selectAll()
    .where('id', '=', id)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate().skipLocked())
    .executeTakeFirst();
  return row ?? null;
}

/** Schedules the next attempt after a failure. */
export async function postponeOutboxRow(
  tx: Transaction,
  row: OutboxRow,
  runAt: number,
  lastError: string,
): Promise<void> {
  await tx.db
    .updateTable('outbox')
    .set({ attempts: row.attempts + 1, run_at: runAt, last_error: lastError.slice(0, 500) })
    .where('id', '=', row.id)
    .execute();
}
