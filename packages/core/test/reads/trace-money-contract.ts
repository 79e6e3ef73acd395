import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { postPayoutStep } from '../../src/storage/money/ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { payoutWorldOn } from '../support/payout-world.ts';
import { findStep, summarizeSteps, TraceClient } from '../support/trace-client.ts';
import { makeWorld, START, type World } from '../support/world.ts';

const DAY = 86_400_000;

export function traceMoneyContract(kind: string, open: OpenEngine): void {
  describe(`money in the trace on ${kind}`, () => {
    let world: World;
    let tracer: TraceClient;
    beforeEach(async () => {
      world = await makeWorld(await open());
      tracer = await TraceClient.of(world);
    });
    afterEach(() => world.affkit.close());

    test('explains the amounts of a refund, including the part that is credited back', async () => {
      const click = await world.click('anna');
      await tracer.sell('t1', { click_id: click });
      await world.engine.write(world.workspaceId, (tx) =>
        tx.db.updateTable('balances').set({ balance_cents: 50 }).execute(),
      );
      await world.track('refund', { transaction_id: 't1', refund_reason: 'broken' });
      expect(findStep(await tracer.steps('transaction_id=t1'), 'full_refund')).toMatchObject({
        why: 'The whole sale was refunded, so the whole commission was deducted: 2.00 USD. The balance was lower than this amount. A deduction from an unpaid commission does not make a balance negative, so 1.50 USD was credited back.',
        detail: {
          sale_amount_cents: 1000,
          refund_amount_cents: null,
          commission_cents: 200,
          deduction_cents: 200,
          clamp_cents: 150,
          payout_lowered_cents: 0,
          was_paid: false,
          refund_reason: 'broken',
        },
      });
    });

    test('lists manual approvals, rejections and adjustments', async () => {
      await tracer.manage('PUT', '', { hold_days: 30 });
      const commissionOf = async (id: string) =>
        Number((await tracer.sell(id, { click_id: await world.click('anna') })).body['commission_id']);
      const [approved, rejected, held] = [
        await commissionOf('t1'),
        await commissionOf('t2'),
        await commissionOf('t3'),
      ];
      await tracer.manage('POST', `/commissions/${approved}/approve`);
      await tracer.manage('POST', `/commissions/${rejected}/reject`);
      await world.engine.write(world.workspaceId, (tx) =>
        tx.db
          .insertInto('adjustments')
          .values({
            program_id: world.program.id,
            commission_id: held,
            amount_cents: -50,
            reason: 'agreed by mail',
            created_at: START,
          })
          .execute(),
      );
      await tracer.pass(31 * DAY);
      await world.affkit.jobs.runOnce();
      expect(findStep(await tracer.steps('transaction_id=t1'), 'approved_by_hand').detail).toMatchObject({
        commission_id: approved,
      });
      expect(summarizeSteps(await tracer.steps('transaction_id=t2'))).toContain('rejection rejected_by_hand');
      const steps = await tracer.steps('transaction_id=t3');
      findStep(steps, 'hold_passed');
      expect(findStep(steps, 'lowered_by_hand')).toMatchObject({
        why: 'The advertiser reduced the commission by 0.50 USD.',
        detail: { amount_cents: -50, adjustment_reason: 'agreed by mail' },
      });
    });

    test('lists the creation and payment of a payout, and a later refund of its sale', async () => {
      const click = await world.click('anna');
      const commissionId = Number((await tracer.sell('t1', { click_id: click })).body['commission_id']);
      world.clock.now += 1000;
      const at = world.clock.now;
      await world.engine.write(world.workspaceId, async (tx) => {
        const payout = {
          program_id: world.program.id,
          partner_id: world.anna.partnerId,
          currency: 'USD',
          status: 'paid' as const,
          amount_cents: 200,
          chain_position: 4,
          chain_hash: 'f'.repeat(64),
          created_at: at,
          paid_at: at + 1,
        };
        const { id } = await tx.db
          .insertInto('payouts')
          .values(payout)
          .returning('id')
          .executeTakeFirstOrThrow();
        const subject = {
          programId: world.program.id,
          partnerId: world.anna.partnerId,
          currency: 'USD',
          payoutId: id,
          at,
        };
        await postPayoutStep(tx, subject, 'take', 200);
        await postPayoutStep(tx, subject, 'pay', 200);
        const paid = { payout_id: id, status: 'paid' as const, paid_at: at + 1 };
        await tx.db.updateTable('commissions').set(paid).where('id', '=', commissionId).execute();
      });
      world.clock.now += 1000;
      await world.track('refund', { transaction_id: 't1' });
      const steps = await tracer.steps('transaction_id=t1');
      expect(summarizeSteps(steps).filter((text) => text.startsWith('payout'))).toEqual([
        'payout payout_made',
        'payout payout_paid',
      ]);
      expect(findStep(steps, 'full_refund').why).toMatch(
        /The commission had already been paid out, so this amount is subtracted from the next payout\.$/,
      );
    });

    test('lists a cancelled payout, and the payout that takes its commissions next', async () => {
      const payouts = await payoutWorldOn(world);
      const commissionId = await payouts.sell('t1', 1000);
      const otherId = await payouts.sell('t2', 500);
      const pay = async () => {
        world.clock.now += 1000;
        const [payout] = await payouts.payOut();
        world.clock.now += 1000;
        return Number(payout?.id);
      };
      const first = await pay();
      await payouts.end(first, 'cancel');
      await payouts.end(first, 'cancel');
      const second = await pay();
      await payouts.end(second, 'cancel');
      const third = await pay();
      await payouts.end(third, 'mark-paid');
      const steps = (await tracer.steps('transaction_id=t1')).filter(({ step }) => step === 'payout');
      expect(steps.map(({ reason, detail }) => [reason, detail['id'], detail['commission_ids']])).toEqual([
        ['payout_made', first, [commissionId]],
        ['payout_cancelled', first, [commissionId]],
        ['payout_made', second, [commissionId]],
        ['payout_cancelled', second, [commissionId]],
        ['payout_made', third, [commissionId]],
        ['payout_paid', third, [commissionId]],
      ]);
      expect(otherId).not.toBe(commissionId);
    });

    test('shows an owed commission before and after the repair job created it', async () => {
      const setPolicies = (deleted_at: number | null) =>
        world.engine.write(1, (tx) => tx.db.updateTable('policies').set({ deleted_at }).execute());
      const click = await world.click('anna');
      await setPolicies(1);
      await tracer.sell('t1', { click_id: click });
      expect(summarizeSteps(await tracer.steps('transaction_id=t1'))).toEqual([
        'click click_recorded',
        'sale sale_recorded',
        'note commission_owed',
        'missing commission_still_owed',
      ]);
      await setPolicies(null);
      world.clock.now += 1;
      await world.affkit.jobs.runOnce();
      expect(findStep(await tracer.steps('transaction_id=t1'), 'policy_applied')).toMatchObject({
        why: expect.stringMatching(
          /It could not be stored together with the sale, so a repair job created it later\.$/,
        ),
        detail: { repaired: true },
      });
    });
  });
}
