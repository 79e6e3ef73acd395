import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rejectCommission } from '../../src/management/commissions.ts';
import { createPayouts } from '../../src/management/create-payouts.ts';
import { markPayoutPaid } from '../../src/management/payouts.ts';
import type { AffkitOptions } from '../../src/options.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { errorResponse } from '../support/error-response.ts';
import { openSaleWorld, type SaleWorld } from '../support/sale-world.ts';
import { addProgram, unwrap } from '../support/world.ts';

const DAY = 86_400_000;

export function refundContract(kind: string, open: OpenEngine, options: Partial<AffkitOptions> = {}): void {
  describe(`refunds on ${kind}`, () => {
    let world: SaleWorld;
    beforeEach(async () => {
      world = await openSaleWorld(open, options);
    });
    afterEach(() => auditAndClose(world));

    describe('a refund', () => {
      const refund = (fields: Record<string, unknown> = {}) =>
        world.track('refund', { transaction_id: 't1', ...fields });

      test.each([
        [{}, 'reversed', 4],
        [{ refund_amount_cents: 0 }, 'reversed', 4],
        [{ refund_amount_cents: null }, 'reversed', 4],
        [{ refund_amount_cents: 1999 }, 'refunded', 4],
        [{ refund_amount_cents: 999 }, 'refunded', 2],
        [{ refund_amount_cents: 1 }, 'refunded', 0],
      ])('deducts its share of the commission: %j', async (fields, status, deductionAmount) => {
        const sale = await world.sell();
        expect((await refund(fields)).body).toEqual({
          success: true,
          status,
          deductionAmount,
          commission_id: sale.body['commission_id'],
        });
        const remainingCents = 400 - deductionAmount * 100;
        expect(await world.balances()).toEqual({
          program: { USD: remainingCents },
          partner: { USD: remainingCents },
        });
      });

      test('a refund is applied once when it is sent 20 times concurrently', async () => {
        await world.sell();
        const replies = await Promise.all(
          Array.from({ length: 20 }, () => refund({ refund_amount_cents: 500, refund_reason: 'late' })),
        );
        expect(replies.filter((reply) => reply.body['status'] === 'refunded')).toHaveLength(1);
        expect(
          replies.filter(
            (reply) => reply.body['status'] === 'skipped' && reply.body['reason'] === 'already reversed',
          ),
        ).toHaveLength(19);
        expect(await world.commissions()).toMatchObject([
          { status: 'refunded', deducted_cents: 100, refund_reason: 'late' },
        ]);
        expect(await world.balances()).toEqual({ program: { USD: 300 }, partner: { USD: 300 } });
      });

      test.each([
        [{ transaction_id: null }, 400, 'transaction_id is required'],
        [{ transaction_id: 7 }, 400, 'transaction_id is required'],
        [{ refund_amount_cents: -1 }, 400, 'refund_amount_cents must be a positive integer'],
        [{ refund_amount_cents: 1.5 }, 400, 'refund_amount_cents must be a positive integer'],
        [{ refund_amount_cents: '5' }, 400, 'refund_amount_cents must be a positive integer'],
        [{ transaction_id: 'unknown' }, 404, 'Sale not found for transaction_id'],
        [{ refund_amount_cents: 2000 }, 400, 'refund_amount_cents exceeds the sale amount'],
      ])('is rejected with the body %j and changes nothing', async (fields, status, text) => {
        await world.sell();
        expect(await refund(fields)).toMatchObject({ status, body: { error: text } });
        expect(await world.balances()).toEqual({ program: { USD: 400 }, partner: { USD: 400 } });
      });

      test("never finds another program's sale", async () => {
        await world.sell();
        const otherProgram = await addProgram(world, world.workspaceId, 'carl');
        const reply = await world.call(
          'POST',
          '/api/v1/track/refund',
          { transaction_id: 't1' },
          { authorization: otherProgram.authorization },
        );
        expect(reply).toMatchObject(
          errorResponse(404, 'Sale not found for transaction_id', 'sale_not_found'),
        );
      });

      test('returns no_commission if the sale has no commission', async () => {
        world.clock.now += 61 * DAY;
        await world.sell();
        expect((await refund()).body).toMatchObject({
          success: true,
          status: 'no_commission',
          message: expect.any(String),
        });
      });

      test('is skipped if the commission was rejected', async () => {
        await world.sell();
        const [commission] = await world.commissions();
        unwrap(await rejectCommission(world.affkit.runtime, world.program, commission?.id ?? 0));
        expect((await refund()).body).toMatchObject({ status: 'skipped', reason: expect.any(String) });
      });

      test('makes the balance negative and warns the advertiser if the commission is paid', async () => {
        await world.sell();
        await payOut();
        expect((await refund()).body).toMatchObject({ status: 'reversed', deductionAmount: 4 });
        expect(await world.balances()).toEqual({ program: { USD: -400 }, partner: { USD: -400 } });
        await Promise.all([world.affkit.jobs.runOnce(), world.affkit.jobs.runOnce()]);
        const notices = await world.engine.read
          .selectFrom('notifications')
          .select(['kind', 'partner_id'])
          .orderBy('id')
          .execute();
        expect(notices).toEqual([
          { kind: 'payout_paid', partner_id: world.anna.partnerId },
          { kind: 'commission_reversed', partner_id: world.anna.partnerId },
          { kind: 'paid_commission_reversed', partner_id: null },
        ]);
      });

      test.each([
        [{}, 'reversed'],
        [{ refund_amount_cents: 1999 }, 'refunded'],
        [{ refund_amount_cents: 999 }, 'refunded'],
      ])('sets the same status if the commission is created later: %j', async (fields, status) => {
        const firstAt = new Date(world.clock.now).toISOString();
        world.clock.now += 70 * DAY;
        await world.sell({ subscription_id: 's1' });
        expect((await refund(fields)).body).toMatchObject({ status: 'no_commission' });
        await world.sell({ transaction_id: 'first', subscription_id: 's1', occurred_at: firstAt });
        const commissions = await world.commissions();
        expect(commissions.map((row) => row.status)).toEqual(['approved', status]);
      });

      test('does not lower a positive balance below zero if the commission is unpaid', async () => {
        await world.sell();
        await payOut();
        await refund();
        await world.sell({ transaction_id: 't2', amount_cents: 5000 });
        expect((await world.balances()).program).toEqual({ USD: 600 });
        expect((await refund({ transaction_id: 't2' })).body['deductionAmount']).toBe(10);
        expect(await world.balances()).toEqual({ program: { USD: 0 }, partner: { USD: 0 } });
        const clamps = await world.engine.read
          .selectFrom('ledger_entries')
          .select(['scope', 'amount_cents', 'debit_account'])
          .where('kind', '=', 'clamp')
          .orderBy('id')
          .execute();
        expect(clamps).toEqual([
          { scope: 'partner_program', amount_cents: 400, debit_account: 'advertiser_write_off' },
          { scope: 'partner', amount_cents: 400, debit_account: 'advertiser_write_off' },
        ]);
      });

      async function payOut(): Promise<void> {
        const { runtime } = world.affkit;
        const [payout] = unwrap(await createPayouts(runtime, world.program, {}));
        unwrap(await markPayoutPaid(runtime, world.program, payout?.id ?? 0, {}));
      }
    });
  });
}
