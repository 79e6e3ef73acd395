import { HOUR_MS } from '../domain/calendar.ts';
import { queueNoticeEmail } from '../emails/notice-emails.ts';
import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findProgram, lockProgramShared } from '../storage/programs/programs.ts';
import { correctTotalsOfDay } from '../storage/reads/totals-drift.ts';
import { addCounters } from '../storage/tracking/counters.ts';
import {
  claimOutboxRow,
  deleteOutboxRow,
  findDueOutbox,
  type Notice,
  type OutboxRow,
  postponeOutboxRow,
} from '../storage/tracking/outbox.ts';
import { findSale } from '../storage/tracking/sales.ts';
import { readRepair } from '../storage/tracking/totals-repairs.ts';
import { decideLateRenewals } from '../tracking/late-renewals.ts';
import { type RenewalsPayload, repairCommission } from '../tracking/repair-commission.ts';
import { settleAll } from './failures.ts';

const OUTBOX_BATCH_SIZE = 100;
const MAX_OUTBOX_DELAY_MS = HOUR_MS;

/**
 * Processes due outbox rows. Each row is processed and removed in one transaction, so that its effect happens
 * exactly once. A failed row is retried with exponential backoff and without a limit, because no commission
 * may be lost.
 * @returns whether more work may be due
 */
export async function drainOutbox(runtime: Runtime): Promise<boolean> {
  const due = await findDueOutbox(runtime.engine.read, runtime.now(), OUTBOX_BATCH_SIZE);
  // Process the rows concurrently, because concurrent writes can share a commit.
  const wasClaimed = await settleAll(
    due.map(({ id, workspaceId }) => processOutboxRow(runtime, workspaceId, id)),
  );
  // Search again only if this process has processed a row, because that may have created new rows. If other
  // processes have claimed all rows, a new search would find the same rows.
  return wasClaimed.includes(true);
}

/** @returns whether this process claimed the row */
async function processOutboxRow(runtime: Runtime, workspaceId: number, id: number): Promise<boolean> {
  try {
    return await runtime.engine.write(workspaceId, async (tx) => {
      const row = await claimOutboxRow(tx, id);
      if (row) await runOutboxRow(tx, runtime, workspaceId, row);
      return row !== null;
    });
  } catch (error) {
    await retryOutboxRowLater(runtime, workspaceId, id, error);
    return true;
  }
}

async function runOutboxRow(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  row: OutboxRow,
): Promise<void> {
  if (row.kind === 'repair_totals') {
    await addCounters(tx, readRepair(row.payload));
    await correctTotalsOfDay(tx, row.program_id, row.subject_id);
    await deleteOutboxRow(tx, row.id);
    return;
  }
  if (row.kind === 'decide_renewals') {
    await decideRenewals(tx, runtime, row);
    await deleteOutboxRow(tx, row.id);
    return;
  }
  if (row.kind !== 'make_commission') {
    const { notices } = JSON.parse(row.payload) as { notices: Notice[] };
    for (const notice of notices) {
      await storeNotification(tx, workspaceId, row, notice, runtime);
    }
    await deleteOutboxRow(tx, row.id);
    return;
  }
  const program = await findProgram(tx.db, row.program_id);
  const sale = program && (await findSale(tx.db, program.id, row.subject_id));
  if (!program || !sale) return await deleteOutboxRow(tx, row.id);
  await repairCommission(tx, runtime, program, sale);
}

async function decideRenewals(tx: Transaction, runtime: Runtime, row: OutboxRow): Promise<void> {
  const program = await lockProgramShared(tx, row.program_id);
  if (!program) return;
  const { customerId, subscriptionIds } = JSON.parse(row.payload) as RenewalsPayload;
  for (const id of subscriptionIds) await decideLateRenewals(tx, runtime, program, customerId, id);
}

async function storeNotification(
  tx: Transaction,
  workspaceId: number,
  row: OutboxRow,
  notice: Notice,
  runtime: Runtime,
): Promise<void> {
  const recipient = notice.partnerId === null ? 'advertiser' : 'partner';
  const dedupeKey = `${row.kind}:${row.program_id}:${row.subject_id}:${recipient}`;
  await queueNoticeEmail(tx, runtime, { programId: row.program_id, dedupeKey }, notice);
  await insertNotification(tx, {
    workspace_id: workspaceId,
    program_id: row.program_id,
    partner_id: notice.partnerId,
    kind: notice.kind,
    dedupe_key: dedupeKey,
    payload: JSON.stringify(notice.payload),
    created_at: runtime.now(),
  });
}

async function retryOutboxRowLater(
  runtime: Runtime,
  workspaceId: number,
  id: number,
  error: unknown,
): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  await runtime.engine.write(workspaceId, async (tx) => {
    const row = await claimOutboxRow(tx, id);
    if (!row) return;
    const delayMs = Math.min(MAX_OUTBOX_DELAY_MS, 1_000 * 2 ** Math.min(row.attempts, 12));
    await postponeOutboxRow(tx, row, runtime.now() + delayMs, message);
  });
  // Log only after the write. While the database is unavailable, the write throws, and the jobs log that
  // error once.
  runtime.log.error({ err: error, outbox_id: id }, 'outbox row failed; it will be retried');
}
