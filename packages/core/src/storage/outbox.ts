import type { Transaction } from './engine/engine.ts';
import type { OutboxKind } from './schema.ts';

/** Stores work that must follow, in the transaction of the event that asks for it. */
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

/** Keeps why a decision fell as it did. */
export async function addTraceNote(
  tx: Transaction,
  note: {
    programId: number;
    customerId: number | null;
    saleId: number | null;
    reason: string;
    detail: string | null;
    now: number;
  },
): Promise<void> {
  await tx.db
    .insertInto('trace_notes')
    .values({
      program_id: note.programId,
      customer_id: note.customerId,
      sale_id: note.saleId,
      reason: note.reason,
      detail: note.detail,
      created_at: note.now,
    })
    .execute();
}

/** The repair that waits for a sale's commission, locked until the work ends. */
export async function findOwedCommission(
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

export async function removeOutboxRow(tx: Transaction, id: number): Promise<void> {
  await tx.db.deleteFrom('outbox').where('id', '=', id).execute();
}
