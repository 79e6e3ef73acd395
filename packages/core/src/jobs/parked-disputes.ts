import { DAY_MS, isoTime } from '../domain/calendar.ts';
import { UNATTRIBUTED_REASONS } from '../processor/decision.ts';
import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findFirstProgram, findProgram } from '../storage/programs/programs.ts';
import {
  findDueDisputes,
  lockDispute,
  type ProcessorDispute,
  updateDispute,
} from '../storage/stripe/processor-disputes.ts';
import { wasPaymentIgnored } from '../storage/stripe/processor-events.ts';
import { expandProcessorReferences, findSaleByReference } from '../storage/stripe/processor-refs.ts';
import { attachReferences } from '../tracking/payment-references.ts';

const BATCH_SIZE = 100;
/** How long a dispute waits for its payment before the advertiser is notified. */
const WARN_MS = DAY_MS;
/** How long after a failed check a dispute is retried. Until then it does not block the others. */
const RETRY_MS = 600_000;

/**
 * Checks parked disputes as `checkParkedRefunds` checks refunds: after a minute for a payment reference that
 * another process added at the same time, and after a day to notify the advertiser.
 * @returns whether more work may be due
 */
export async function checkParkedDisputes(runtime: Runtime): Promise<boolean> {
  const due = await findDueDisputes(runtime.engine.read, runtime.now(), BATCH_SIZE);
  for (const key of due) {
    const withLockedDispute = (
      act: (tx: Transaction, parked: ProcessorDispute, now: number) => Promise<unknown>,
    ) =>
      runtime.engine.write(key.workspace_id, async (tx) => {
        const locked = await lockDispute(tx, key);
        const now = runtime.now();
        if (locked && locked.check_at !== null && locked.check_at <= now) await act(tx, locked, now);
      });
    await withLockedDispute((tx, parked, now) => check(tx, runtime, parked, now)).catch(
      async (error: unknown) => {
        const fields = { err: error, dispute: key.dispute };
        runtime.log.error(fields, 'parked dispute could not be checked; it will be retried');
        await withLockedDispute((tx, parked, now) => updateDispute(tx, parked, { check_at: now + RETRY_MS }));
      },
    );
  }
  return due.length === BATCH_SIZE;
}

async function check(
  tx: Transaction,
  runtime: Runtime,
  parked: ProcessorDispute,
  now: number,
): Promise<void> {
  const { workspace_id, charge, parked_at, state } = parked;
  const { refs } = await expandProcessorReferences(tx.db, workspace_id, [charge]);
  const sale = await findSaleByReference(tx.db, workspace_id, refs);
  if (sale) return attachReferences(tx, runtime, workspace_id, sale, refs);
  const isOverdue = now >= parked_at + WARN_MS;
  await updateDispute(tx, parked, { check_at: isOverdue ? null : parked_at + WARN_MS });
  const hasEffect = state === 'open' || state === 'lost';
  if (!isOverdue || !hasEffect) return;
  const isUnattributed = await wasPaymentIgnored(tx.db, workspace_id, refs, UNATTRIBUTED_REASONS);
  if (!isUnattributed) await warn(tx, parked, now);
}

/** Every notification belongs to a program: the dispute's, or else the first one of the workspace. */
async function warn(tx: Transaction, parked: ProcessorDispute, now: number): Promise<void> {
  const { workspace_id, dispute, program_id } = parked;
  const named = program_id === null ? null : await findProgram(tx.db, program_id);
  const program = named ?? (await findFirstProgram(tx.db, workspace_id));
  if (!program) return;
  await insertNotification(tx, {
    workspace_id,
    program_id: program.id,
    partner_id: null,
    kind: 'dispute_parked',
    dedupe_key: `dispute_parked:${workspace_id}:${dispute}`,
    payload: JSON.stringify({
      dispute,
      charge: parked.charge,
      disputeAmountCents: parked.amount_cents,
      disputeCurrency: parked.currency,
      parkedAt: isoTime(parked.parked_at),
    }),
    created_at: now,
  });
}
