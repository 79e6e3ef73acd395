import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { changePayoutDetails } from '../../src/management/payout-details.ts';
import { insertRows } from '../../src/storage/database/rows.ts';
import { engineKinds } from '../support/engine-kinds.ts';
import { measureGrowth } from '../support/heap.ts';
import { openPayoutWorld, type PayoutWorld } from '../support/payout-world.ts';
import { byDepth } from '../support/test-depth.ts';

const PAYOUTS = byDepth({ short: 7_000, long: 100_000 });
const WISE_MAX = 1_000;
const LISTED = 5_000;
const MAX_GROWTH_BYTES = 48 * 1024 * 1024;

interface Created {
  readonly data: { readonly payouts: number; readonly amount_cents: number };
  readonly left_out: readonly { readonly payout_id: number; readonly reason: string }[];
  readonly left_out_total: number;
}

describe.each(Object.entries(engineKinds))(`batches from ${PAYOUTS} pending payouts on %s`, (_kind, open) => {
  let world: PayoutWorld;
  beforeEach(async () => {
    world = await openPayoutWorld(open);
  });
  afterEach(() => world.affkit.close());

  /** Adds pending payouts of 1.00. Every second payout is for Ben, who has no payout details. */
  const addPayouts = () =>
    world.engine.write(world.workspaceId, async (tx) => {
      const partnerIds = [world.anna.partnerId, world.ben.partnerId];
      for (let first = 0; first < PAYOUTS; first += 5_000) {
        const payouts = Array.from({ length: Math.min(5_000, PAYOUTS - first) }, (_, index) => ({
          program_id: world.program.id,
          partner_id: partnerIds[index % 2] ?? 0,
          currency: 'USD',
          status: 'pending',
          amount_cents: 100,
          created_at: world.clock.now,
        }));
        await insertRows(tx, 'payouts', payouts);
      }
    });
  const create = async (): Promise<Created> => {
    const { body } = await world.ask('POST', '/payout-batches', { channel: 'file:wise', currency: 'USD' });
    // The reply is checked against the OpenAPI document.
    return body as unknown as Created;
  };

  it('fills a batch, lists the first of the left-out payouts, and counts all left-out payouts', {
    timeout: 600_000,
  }, async () => {
    const account = { method: 'wise', email: 'anna@wise.test', account_holder: 'Anna A' } as const;
    const anna = { id: world.anna.partnerId, workspaceId: world.workspaceId };
    await changePayoutDetails(world.affkit.runtime, anna, toPayoutDetails(account));
    await addPayouts();
    const { result: first, growth } = await measureGrowth(create);
    expect(first.data).toMatchObject({ payouts: WISE_MAX, amount_cents: 100 * WISE_MAX });
    expect(first).toMatchObject({ left_out_total: PAYOUTS - WISE_MAX });
    expect(first.left_out).toHaveLength(LISTED);
    const reasons = Map.groupBy(first.left_out, ({ reason }) => reason);
    expect([...reasons.keys()].toSorted()).toEqual(['batch_full', 'no_details']);
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
    const second = await create();
    expect(second.data).toMatchObject({ payouts: WISE_MAX });
    expect(second).toMatchObject({ left_out_total: PAYOUTS - 2 * WISE_MAX });
  });
});
