import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { changePayoutDetails } from '../../src/management/payout-details.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openPayoutWorld, type PayoutWorld } from '../support/payout-world.ts';

const ORDER = { channel: 'file:paypal', currency: 'USD' };

export function payoutBatchMinimumContract(kind: string, open: OpenEngine): void {
  describe(`the minimum of payout batches on ${kind}`, () => {
    let world: PayoutWorld;
    beforeEach(async () => {
      world = await openPayoutWorld(open);
      await changePayoutDetails(
        world.affkit.runtime,
        { id: world.anna.partnerId, workspaceId: world.workspaceId },
        toPayoutDetails({ method: 'paypal', email: 'anna@paypal.test' }),
      );
      await world.sell('a', 10_000);
    });
    afterEach(async () => {
      expect(await auditLedger(world.engine)).toEqual([]);
      await world.affkit.close();
    });

    const expectSentOnlyByName = async (id: number, amountCents: number) => {
      const all = await world.ask('POST', '/payout-batches', ORDER);
      expect(all.body).toMatchObject({
        data: null,
        left_out: [{ payout_id: id, reason: 'below_minimum' }],
      });
      const named = await world.ask('POST', '/payout-batches', { ...ORDER, payout_ids: [id] });
      expect(named.body).toMatchObject({ data: { payouts: 1, amount_cents: amountCents }, left_out: [] });
    };

    it('does not apply to a named payout that was created with a lower minimum', async () => {
      await world.ask('PUT', '/payout-settings', { min_payout_cents: 5_000 });
      expect(await world.payOut()).toEqual([]);
      const [payout] = await world.payOut({ min_amount_cents: 1_000 });
      await expectSentOnlyByName(payout?.id ?? 0, 2_000);
    });

    it('does not apply to a named payout that a refund has lowered', async () => {
      await world.ask('PUT', `/partners/${world.anna.partnerId}`, { min_payout_cents: 2_000 });
      const [payout] = await world.payOut();
      await world.refund('a', 5_000);
      await expectSentOnlyByName(payout?.id ?? 0, 1_000);
    });

    it('never lets a batch contain a payout of zero', async () => {
      const [payout] = await world.payOut();
      await world.refund('a');
      const { body } = await world.ask('POST', '/payout-batches', { ...ORDER, payout_ids: [payout?.id] });
      expect(body).toMatchObject({ data: null, left_out: [{ reason: 'zero_amount' }] });
    });
  });
}
