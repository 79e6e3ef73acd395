import { sealPayoutDetails } from '../../src/access/sealed-payout-details.ts';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { insertPayoutBatch } from '../../src/storage/money/payout-batches.ts';
import { insertPayoutRun } from '../../src/storage/money/payout-runs.ts';
import type { World } from './management-world.ts';

/** Adds a payout batch with one payout of the partner. @returns the id of the batch */
export function addPayoutBatch(
  { engine, affkit, clock }: World,
  workspaceId: number,
  programId: number,
  partnerId: number,
): Promise<number> {
  const details = toPayoutDetails({ method: 'paypal', email: 'partner@paypal.test' });
  return engine.write(workspaceId, async (tx) => {
    const payout = await tx.db
      .insertInto('payouts')
      .values({
        program_id: programId,
        partner_id: partnerId,
        currency: 'USD',
        status: 'cancelled',
        amount_cents: 100,
        created_at: clock.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const batch = await insertPayoutBatch(
      tx,
      {
        program_id: programId,
        channel: 'file:paypal',
        currency: 'USD',
        program_name: 'p',
        sealed_debtor: null,
        creator_kind: 'system',
        creator_id: null,
        created_at: clock.now,
      },
      [
        {
          payout_id: payout.id,
          partner_id: partnerId,
          partner_name: 'p',
          amount_cents: 100,
          sealed_details: sealPayoutDetails(affkit.runtime, partnerId, details),
        },
      ],
    );
    return batch.id;
  });
}

/** Adds a payout run that the schedule has proposed. @returns the id of the run */
export function addPayoutRun(
  { engine, clock }: Pick<World, 'engine' | 'clock'>,
  workspaceId: number,
  programId: number,
): Promise<number> {
  return engine.write(workspaceId, async (tx) => {
    const run = { program_id: programId, month: '2026-01', status: 'proposed' as const, totals: '[]' };
    const row = await insertPayoutRun(tx, { ...run, created_at: clock.now });
    if (!row) throw new Error('The run was not stored');
    return row.id;
  });
}
