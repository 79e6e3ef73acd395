import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/engine/engine.ts';
import { insertNotification } from '../storage/notifications.ts';
import {
  claimOutboxRow,
  findDueOutbox,
  type OutboxRow,
  postponeOutboxRow,
  removeOutboxRow,
} from '../storage/outbox.ts';
import { findProgram } from '../storage/programs.ts';
import { findSale } from '../storage/sales.ts';
import { makeOwedCommission } from '../tracking/owed-commission.ts';

const ROUND = 100;
const MAX_DELAY_MS = 3_600_000;

/** What a refund asks to be told to whom. */
interface RefundNotice {
  readonly kind: 'commission_reversed' | 'commission_refunded';
  readonly partnerId: number;
  readonly commissionId: number;
  readonly deductionCents: number;
  readonly currency: string;
  readonly reason: string | null;
  readonly wasPaid: boolean;
}

/**
 * Does what is due, each row in a transaction of its own that also removes the row, so that it is done once.
 * What fails is tried again with growing pauses, for ever: an owed commission is never given up.
 */
export async function drainOutbox(runtime: Runtime): Promise<void> {
  const due = await findDueOutbox(runtime.engine.read, runtime.now(), ROUND);
  for (const { id, workspaceId } of due) {
    await runtime.engine
      .write(workspaceId, async (tx) => {
        const row = await claimOutboxRow(tx, id);
        if (row) await perform(tx, runtime, workspaceId, row);
      })
      .catch((error: unknown) => postpone(runtime, workspaceId, id, error));
  }
}

async function perform(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  row: OutboxRow,
): Promise<void> {
  if (row.kind === 'notify') {
    await notify(tx, workspaceId, row, JSON.parse(row.payload) as RefundNotice, runtime.now());
    await removeOutboxRow(tx, row.id);
    return;
  }
  const program = await findProgram(tx.db, row.program_id);
  const sale = program && (await findSale(tx.db, program.id, row.subject_id));
  if (program && sale) await makeOwedCommission(tx, program, sale, runtime.now());
  else await removeOutboxRow(tx, row.id);
}

async function notify(
  tx: Transaction,
  workspaceId: number,
  row: OutboxRow,
  notice: RefundNotice,
  now: number,
): Promise<void> {
  const { kind, partnerId, wasPaid, ...payload } = notice;
  const common = {
    workspace_id: workspaceId,
    program_id: row.program_id,
    payload: JSON.stringify(payload),
    created_at: now,
  };
  await insertNotification(tx, {
    ...common,
    partner_id: partnerId,
    kind,
    dedupe_key: `refund:${row.subject_id}:partner`,
  });
  if (wasPaid) {
    await insertNotification(tx, {
      ...common,
      partner_id: null,
      kind: 'paid_commission_reversed',
      dedupe_key: `refund:${row.subject_id}:advertiser`,
    });
  }
}

async function postpone(runtime: Runtime, workspaceId: number, id: number, error: unknown): Promise<void> {
  runtime.log.error({ err: error, outbox_id: id }, 'a follow-up failed; it is tried again');
  const message = error instanceof Error ? error.message : String(error);
  await runtime.engine.write(workspaceId, async (tx) => {
    const row = await claimOutboxRow(tx, id);
    if (!row) return;
    const delayMs = Math.min(MAX_DELAY_MS, 1_000 * 2 ** Math.min(row.attempts, 12));
    await postponeOutboxRow(tx, row, runtime.now() + delayMs, message);
  });
}
