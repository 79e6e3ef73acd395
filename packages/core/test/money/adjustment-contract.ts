import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { adjustCommission } from '../../src/management/adjust-commission.ts';
import { approveCommission, rejectCommission } from '../../src/management/commissions.ts';
import { deleteProgram } from '../../src/management/programs.ts';
import { creditPartners } from '../../src/storage/money/ledger.ts';
import { trackRefund } from '../../src/tracking/track-refund.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { errorResponse } from '../support/error-response.ts';
import { countStatuses, runConcurrently } from '../support/management-world.ts';
import { openPayoutWorld, type PayoutWorld } from '../support/payout-world.ts';
import { START, unwrap } from '../support/world.ts';

export function adjustmentContract(kind: string, open: OpenEngine): void {
  describe(`adjustments on ${kind}`, () => {
    let world: PayoutWorld;
    let id: number;
    beforeEach(async () => {
      world = await openPayoutWorld(open);
      id = await world.sell('t1', 1000);
    });
    afterEach(() => auditAndClose(world, [world.program.id]));
    const pay = async () => {
      for (const payout of await world.payOut()) await world.end(payout.id, 'mark-paid');
    };

    test('cannot raise a commission or a balance above the largest exact integer', async () => {
      const most = 999_999_999_999;
      const raise = (amount_cents: number) => world.adjust(id, { amount_cents, reason: 'Bonus' });
      const invalid = (text: string) => ({ status: 400, body: { code: 'invalid_field', error: text } });
      expect(await raise(most)).toMatchObject(invalid(`amount_cents must be at most ${most - 200}`));
      expect((await raise(most - 200)).status).toBe(200);
      expect(await raise(1)).toMatchObject(invalid('amount_cents must be at most 0'));
      expect((await raise(-most)).status).toBe(200);

      const { program, anna, workspaceId } = world;
      await world.engine.write(workspaceId, (tx) => {
        const subject = { programId: program.id, partnerId: anna.partnerId, currency: 'USD', at: START };
        const amountCents = Number.MAX_SAFE_INTEGER - 500;
        return creditPartners(tx, [{ subject, kind: 'adjustment', amountCents }]);
      });
      expect(await raise(501)).toMatchObject(
        invalid(
          'amount_cents would raise the balance above 9007199254740991. Send a smaller amount, or pay out the balance first.',
        ),
      );
      expect((await raise(500)).status).toBe(200);
    });

    test('an adjustment notifies the partner and changes balances, but not the earned or deducted amount', async () => {
      const reply = await world.adjust(id, { amount_cents: -50, reason: 'Second refund' });
      expect(reply).toMatchObject({
        status: 200,
        body: {
          success: true,
          data: {
            id,
            status: 'approved',
            amount_cents: 200,
            deducted_cents: 0,
            adjusted_cents: -50,
            adjustment: {
              id: expect.any(Number),
              amount_cents: -50,
              reason: 'Second refund',
              created_at: new Date(START).toISOString(),
            },
          },
        },
      });
      await world.adjust(id, { amount_cents: 80, reason: 'Bonus' });
      expect(await world.balances()).toEqual({ program: { USD: 230 }, partner: { USD: 230 } });
      const entries = await world.engine.read
        .selectFrom('ledger_entries')
        .select(['scope', 'kind', 'debit_account', 'credit_account', 'amount_cents'])
        .where('kind', '=', 'adjustment')
        .orderBy('id')
        .execute();
      expect(entries.map((entry) => Object.values(entry).join(' '))).toEqual([
        'partner_program adjustment partner_payable advertiser_cost 50',
        'partner adjustment partner_payable advertiser_cost 50',
        'partner_program adjustment advertiser_cost partner_payable 80',
        'partner adjustment advertiser_cost partner_payable 80',
      ]);
      await world.affkit.jobs.runOnce();
      const notices = await world.engine.read
        .selectFrom('notifications')
        .select(['kind', 'partner_id', 'payload'])
        .orderBy('id')
        .execute();
      const notice = (amountCents: number, reason: string) => ({
        kind: 'commission_adjusted',
        partner_id: world.anna.partnerId,
        payload: JSON.stringify({ commissionId: id, amountCents, currency: 'USD', reason }),
      });
      expect(notices).toEqual([notice(-50, 'Second refund'), notice(80, 'Bonus')]);
      const log = await world.engine.read
        .selectFrom('audit_log')
        .select(['action', 'state_before', 'state_after'])
        .where('subject_kind', '=', 'commission')
        .where('subject_id', '=', id)
        .execute();
      expect(log[0]).toEqual({
        action: 'commission.adjust',
        state_before: '{"adjusted_cents":0,"reason":null,"currency":"USD"}',
        state_after: '{"adjusted_cents":-50,"reason":"Second refund","currency":"USD"}',
      });
    });

    test('the audit log names the currency of changed amounts', async () => {
      const yenId = await world.sell('t-yen', 1000, { currency: 'JPY' });
      await world.adjust(yenId, { amount_cents: 50, reason: 'Bonus' });
      await world.ask('POST', `/commissions/${yenId}/reject`);
      const log = await world.engine.read
        .selectFrom('audit_log')
        .select(['state_before', 'state_after'])
        .where('subject_kind', '=', 'commission')
        .where('subject_id', '=', yenId)
        .orderBy('id')
        .execute();
      const states = log.map((row) =>
        [row.state_before, row.state_after].map((text) => JSON.parse(text ?? '')),
      );
      expect(states).toEqual([
        [
          { adjusted_cents: 0, currency: 'JPY', reason: null },
          { adjusted_cents: 50, currency: 'JPY', reason: 'Bonus' },
        ],
        [
          { status: 'approved', deducted_cents: 0, currency: 'JPY' },
          { status: 'rejected', deducted_cents: 200, currency: 'JPY' },
        ],
      ]);
    });

    test('an adjustment can subtract at most the rest of the commission after refunds and other adjustments', async () => {
      await world.refund('t1', 500);
      expect(await world.adjust(id, { amount_cents: -101, reason: 'r' })).toMatchObject(
        errorResponse(
          400,
          'amount_cents can subtract at most 100, the rest of the commission',
          'invalid_field',
        ),
      );
      expect(await world.adjust(id, { amount_cents: -100, reason: 'r' })).toMatchObject({ status: 200 });
      expect(await world.adjust(id, { amount_cents: -1, reason: 'r' })).toMatchObject({ status: 400 });
      expect(await world.balances()).toEqual({ program: { USD: 0 }, partner: { USD: 0 } });
      expect(await world.adjust(id, { amount_cents: 30, reason: 'r' })).toMatchObject({ status: 200 });
      expect(await world.owed()).toEqual({ USD: [30, 30] });
    });

    test('a later refund neither deducts a negative adjustment again, nor takes back a positive one', async () => {
      await world.adjust(id, { amount_cents: -150, reason: 'r' });
      expect((await world.refund('t1')).body).toMatchObject({ status: 'reversed', deductionAmount: 0.5 });
      const otherSale = await world.sell('t2', 1000);
      await world.adjust(otherSale, { amount_cents: 25, reason: 'r' });
      expect((await world.refund('t2')).body).toMatchObject({ deductionAmount: 2 });
      expect(await world.owed()).toEqual({ USD: [25, 25] });
    });

    test.each([
      [{ reason: 'r' }, /^amount_cents must be an integer/],
      [{ amount_cents: 0, reason: 'r' }, /^amount_cents must be an integer .* not 0$/],
      [{ amount_cents: 1.5, reason: 'r' }, /^amount_cents must be an integer/],
      [{ amount_cents: '5', reason: 'r' }, /^amount_cents must be an integer/],
      [{ amount_cents: 1_000_000_000_000, reason: 'r' }, /^amount_cents must be an integer/],
      [{ amount_cents: 5 }, /^reason must be a string/],
      [{ amount_cents: 5, reason: ' ' }, /^reason is required$/],
      [{ amount_cents: 5, reason: 'x'.repeat(2001) }, /^reason must be a string of at most 2000/],
      [{ amount_cents: 5, reason: 'r', idempotency_key: 7 }, /^idempotency_key must be a string$/],
    ])('return 400 for %j', async (body, text) => {
      const refused = { status: 400, body: { error: expect.stringMatching(text), code: 'invalid_field' } };
      expect(await world.adjust(id, body)).toMatchObject(refused);
      expect(await world.owed()).toEqual({ USD: [200, 200] });
    });

    test('after a rejection, adjustments return 409, and the partner is notified only of the rejection', async () => {
      await world.ask('POST', `/commissions/${id}/reject`);
      expect(await world.adjust(id, { amount_cents: 5, reason: 'r' })).toMatchObject(
        errorResponse(409, 'Commission cannot be adjusted. Current status: rejected', 'commission_state'),
      );
      await world.affkit.jobs.runOnce();
      const notices = await world.engine.read
        .selectFrom('notifications')
        .select(['kind', 'partner_id', 'payload'])
        .execute();
      const payload = JSON.stringify({ commissionId: id, amountCents: 200, currency: 'USD' });
      expect(notices).toEqual([{ kind: 'commission_rejected', partner_id: world.anna.partnerId, payload }]);
    });

    test('the rejection of a commission reverses its adjustments', async () => {
      await world.adjust(id, { amount_cents: 100, reason: 'r' });
      await world.ask('POST', `/commissions/${id}/reject`);
      expect(await world.balances()).toEqual({ program: { USD: 0 }, partner: { USD: 0 } });
    });

    test('an adjustment is applied once if 20 concurrent requests have the same idempotency key', async () => {
      const body = { amount_cents: -50, reason: 'r', idempotency_key: 'k' };
      const replies = await runConcurrently(20, () => world.adjust(id, body));
      expect(countStatuses(replies)).toEqual({ 200: 20 });
      expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1);
      expect(await world.owed()).toEqual({ USD: [150, 150] });
      for (const change of [{ amount_cents: -51 }, { reason: 'other' }]) {
        expect(await world.adjust(id, { ...body, ...change })).toMatchObject(
          errorResponse(
            409,
            'idempotency_key was already used for a different adjustment of this commission. Send a new key.',
            'conflict',
          ),
        );
      }
      await world.adjust(id, { amount_cents: -150, reason: 'rest' });
      expect(await world.adjust(id, body)).toMatchObject({ status: 200 });
      const otherSale = await world.sell('t2', 1000);
      expect(await world.adjust(otherSale, body)).toMatchObject({ status: 200 });
      expect(await world.owed()).toEqual({ USD: [150, 150] });
    });

    test('without an idempotency key, each request is applied until the rest of the commission is too small', async () => {
      const replies = await runConcurrently(20, () => world.adjust(id, { amount_cents: -30, reason: 'r' }));
      expect(countStatuses(replies)).toEqual({ 200: 6, 400: 14 });
      expect(await world.owed()).toEqual({ USD: [20, 20] });
    });

    test('a negative adjustment lowers the pending payout; a positive one is paid by the next payout', async () => {
      const [payout] = await world.payOut();
      await world.adjust(id, { amount_cents: -50, reason: 'r' });
      await world.adjust(id, { amount_cents: 30, reason: 'r' });
      expect((await world.ask('GET', '/payouts')).body['data']).toMatchObject([{ amount_cents: 150 }]);
      expect(await world.owed()).toEqual({ USD: [180, 30] });
      expect(await world.payOut()).toMatchObject([{ amount_cents: 30, commissions: 0 }]);
      await world.end(payout?.id ?? 0, 'mark-paid');
      expect(await world.owed()).toEqual({ USD: [30, 0] });
    });

    test('if the commission is already paid, an adjustment changes the amount of the next payout', async () => {
      await pay();
      await world.adjust(id, { amount_cents: -50, reason: 'r' });
      expect(await world.balances()).toEqual({ program: { USD: -50 }, partner: { USD: -50 } });
      expect(await world.commission(id)).toMatchObject({ status: 'paid' });
      await world.sell('t2', 1000);
      expect(await world.payOut()).toMatchObject([{ amount_cents: 150, commissions: 1 }]);
      await world.adjust(id, { amount_cents: 40, reason: 'r' });
      expect(await world.payOut()).toMatchObject([{ amount_cents: 40, commissions: 0 }]);
    });

    test('an adjustment of an unpaid commission never makes the balance negative', async () => {
      await pay();
      await world.refund('t1');
      const otherSale = await world.sell('t2', 1500);
      expect(await world.owed()).toEqual({ USD: [100, 100] });
      await world.adjust(otherSale, { amount_cents: -300, reason: 'r' });
      expect(await world.balances()).toEqual({ program: { USD: 0 }, partner: { USD: 0 } });
    });

    test('adjustments are rejected after the program was deleted, like decisions and refunds', async () => {
      await world.refund('t1');
      unwrap(await deleteProgram(world.affkit.runtime, world.program));
      const { runtime } = world.affkit;
      const gift = { amount_cents: 500, reason: 'r' };
      for (const outcome of [
        await adjustCommission(runtime, world.program, id, gift),
        await approveCommission(runtime, world.program, id),
        await rejectCommission(runtime, world.program, id),
      ]) {
        expect(outcome).toMatchObject({ code: 'program_not_found' });
      }
      const refund = { transaction_id: 't1' };
      expect(await trackRefund(runtime, world.program, refund)).toMatchObject({ code: 'token_invalid' });
      expect(await world.balances()).toEqual({ program: { USD: 0 }, partner: { USD: 0 } });
    });

    test.each(['x', '0', '999999'])('return 404 for the unknown commission id %s', async (unknownId) => {
      const reply = await world.ask('POST', `/commissions/${unknownId}/adjust`, {
        amount_cents: 1,
        reason: 'r',
      });
      expect(reply).toMatchObject(errorResponse(404, 'Not found', 'not_found'));
    });
  });
}
