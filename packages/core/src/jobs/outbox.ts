import { HOUR_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findProgram } from '../storage/programs/programs.ts';
import {
  claimOutboxRow,
  findDueOutbox,
  type Notice,
  type OutboxRow,
  postponeOutboxRow,
  removeOutboxRow,
} from '../storage/tracking/outbox.ts';
import { findSale } from '../storage/tracking/sales.ts';
import { makeOwedCommission } from '../tracking/owed-commission.ts';
import { throwFailures } from './failures.ts';

const AT_ONCE = 100;
const MAX_DELAY_MS = HOUR_MS;

/**
 * Does what is due, each row in a work of its own that also removes the row, so that it is done once.
 * What fails is tried again with growing pauses, for ever: an owed commission is never given up.
 * @returns whether there may be more
 */
export async function drainOutbox(runtime: Runtime): Promise<boolean> {
  const due = await findDueOutbox(runtime.engine.read, runtime.now(), AT_ONCE);
  // At once, so that they share commits; none is left under way where another fails.
  const done = await Promise.allSettled(due.map(({ id, workspaceId }) => followUp(runtime, workspaceId, id)));
  throwFailures(done.filter((one) => one.status === 'rejected').map(({ reason }) => reason));
  // Where another process has all of them, nothing is gained by asking again at once.
  return due.length === AT_ONCE && done.some((one) => one.status === 'fulfilled' && one.value);
}

/** @returns whether this process had the row */
async function followUp(runtime: Runtime, workspaceId: number, id: number): Promise<boolean> {
  try {
    return await runtime.engine.write(workspaceId, async (tx) => {
      const row = await claimOutboxRow(tx, id);
      if (row) await perform(tx, runtime, workspaceId, row);
      return row !== null;
    });
  } catch (error) {
    await postpone(runtime, workspaceId, id, error);
    return true;
  }
}

async function perform(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  row: OutboxRow,
): Promise<void> {
  if (row.kind !== 'make_commission') {
    const { notices } = JSON.parse(row.payload) as { notices: Notice[] };
    for (const notice of notices) await show(tx, workspaceId, row, notice, runtime.now());
    await removeOutboxRow(tx, row.id);
    return;
  }
  const program = await findProgram(tx.db, row.program_id);
  const sale = program && (await findSale(tx.db, program.id, row.subject_id));
  if (program && sale) await makeOwedCommission(tx, program, sale, runtime.now());
  else await removeOutboxRow(tx, row.id);
}

async function show(
  tx: Transaction,
  workspaceId: number,
  row: OutboxRow,
  notice: Notice,
  now: number,
): Promise<void> {
  const to = notice.partnerId === null ? 'advertiser' : 'partner';
  await insertNotification(tx, {
    workspace_id: workspaceId,
    program_id: row.program_id,
    partner_id: notice.partnerId,
    kind: notice.kind,
    dedupe_key: `${row.kind}:${row.program_id}:${row.subject_id}:${to}`,
    payload: JSON.stringify(notice.payload),
    created_at: now,
  });
}

async function postpone(runtime: Runtime, workspaceId: number, id: number, error: unknown): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  await runtime.engine.write(workspaceId, async (tx) => {
    const row = await claimOutboxRow(tx, id);
    if (!row) return;
    const delayMs = Math.min(MAX_DELAY_MS, 1_000 * 2 ** Math.min(row.attempts, 12));
    await postponeOutboxRow(tx, row, runtime.now() + delayMs, message);
  });
  // Last, so that a database that is away is told of once, and not by each row.
  runtime.log.error({ err: error, outbox_id: id }, 'a follow-up failed; it is tried again');
}
