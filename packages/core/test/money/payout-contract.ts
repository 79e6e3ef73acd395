import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { changePayoutDetails } from '../../src/management/payout-details.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { errorResponse } from '../support/error-response.ts';
import { countStatuses, runConcurrently } from '../support/management-world.ts';
import { DAY, openPayoutWorld, type PayoutWorld } from '../support/payout-world.ts';
import { addProgram, START } from '../support/world.ts';

const AT = new Date(START).toISOString();

export function payoutContract(kind: string, open: OpenEngine): void {
  describe(`payouts on ${kind}`, () => {
    let world: PayoutWorld;
    beforeEach(async () => {
      world = await openPayoutWorld(open);
    });
    afterEach(() => auditAndClose(world));
    const amounts = async (body = {}) =>
      (await world.payOut(body)).map((payout) => [payout.partner_id, payout.currency, payout.amount_cents]);
    const hold = (days: number) => world.ask('PUT', '', { hold_days: days });
    const onlyPayout = async () => {
      const [payout, ...others] = await world.payOut();
      if (!payout || others.length > 0)
        throw new Error(`Expected exactly one payout, got ${others.length + (payout ? 1 : 0)}`);
      return payout;
    };

    test('a payout contains everything that is payable to a partner, and can then be marked as paid', async () => {
      const first = await world.sell('t1', 1000);
      await world.sell('t2', 2000);
      const pending = {
        id: expect.any(Number),
        partner_id: world.anna.partnerId,
        partner_name: 'anna',
        partner_email: 'anna@partner.example',
        currency: 'USD',
        status: 'pending',
        amount_cents: 600,
        commissions: 2,
        reference: null,
        // Six entries: two commissions and the payout, each in both balances.
        ledger_position: 6,
        ledger_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        created_at: AT,
        paid_at: null,
        cancelled_at: null,
      };
      const made = await world.ask('POST', '/payouts');
      expect(made).toMatchObject({ status: 201, body: { success: true, data: [pending] } });
      const [payout] = made.body['data'] as { id: number }[];
      expect(await world.commission(first)).toMatchObject({ status: 'approved', payout_id: payout?.id });
      expect(await world.owed()).toEqual({ USD: [600, 0] });
      const paid = await world.end(payout?.id ?? 0, 'mark-paid', { reference: 'SEPA 1' });
      expect(paid).toMatchObject({
        status: 200,
        body: { success: true, data: { ...pending, status: 'paid', reference: 'SEPA 1', paid_at: AT } },
      });
      expect(await world.commission(first)).toMatchObject({ status: 'paid', paid_at: AT });
      expect(await world.balances()).toEqual({ program: { USD: 0 }, partner: { USD: 0 } });
      expect((await world.ask('GET', '/payouts')).body).toEqual({
        success: true,
        data: [paid.body['data']],
        meta: { pagination: { page: 1, pageSize: 10, pageCount: 1, total: 1 } },
      });
      expect(await world.payOut()).toEqual([]);
    });

    test('a payout shows when the payout details of the partner were last changed', async () => {
      await world.sell('t1', 1000);
      const { id } = await onlyPayout();
      const read = async () => (await world.ask('GET', `/payouts/${id}`)).body['data'];
      expect(await read()).toMatchObject({ details_changed_at: null });
      world.clock.now += DAY;
      const details = toPayoutDetails({ method: 'paypal', email: 'anna@paypal.test' });
      const anna = { id: world.anna.partnerId, workspaceId: world.workspaceId };
      await changePayoutDetails(world.affkit.runtime, anna, details);
      const details_changed_at = new Date(START + DAY).toISOString();
      expect(await read()).toMatchObject({ details_changed_at });
      expect((await world.ask('GET', '/payouts')).body).toMatchObject({ data: [{ id, details_changed_at }] });
    });

    test('notify the partner and write to the audit log', async () => {
      await world.sell('t1', 1000);
      const { id } = await onlyPayout();
      await world.end(id, 'mark-paid', { reference: 'SEPA 1' });
      await world.affkit.jobs.runOnce();
      const notices = await world.engine.read
        .selectFrom('notifications')
        .select(['kind', 'partner_id', 'payload'])
        .execute();
      const payload = JSON.stringify({
        payoutId: id,
        amountCents: 200,
        currency: 'USD',
        reference: 'SEPA 1',
      });
      expect(notices).toEqual([{ kind: 'payout_paid', partner_id: world.anna.partnerId, payload }]);
      await world.sell('t2', 1000);
      await world.end((await onlyPayout()).id, 'cancel');
      const log = await world.engine.read
        .selectFrom('audit_log')
        .select(['action', 'state_before', 'state_after'])
        .where('subject_kind', '=', 'payout')
        .orderBy('id')
        .execute();
      const created = `{"status":"pending","amount_cents":200,"reference":null,"partner_id":${world.anna.partnerId},"currency":"USD"}`;
      expect(log).toEqual([
        { action: 'payout.create', state_before: null, state_after: created },
        {
          action: 'payout.mark_paid',
          state_before: '{"status":"pending","reference":null}',
          state_after: '{"status":"paid","reference":"SEPA 1"}',
        },
        { action: 'payout.create', state_before: null, state_after: created },
        {
          action: 'payout.cancel',
          state_before: '{"status":"pending"}',
          state_after: '{"status":"cancelled"}',
        },
      ]);
    });

    test('exclude commissions on hold, but include those approved before their hold ends', async () => {
      const heldCommission = await world.sell('t1', 1000);
      expect(await amounts()).toEqual([[world.anna.partnerId, 'USD', 200]]);
      await hold(30);
      const approved = await world.sell('t2', 2000);
      const later = await world.sell('t3', 3000);
      expect(await world.payOut()).toEqual([]);
      await world.ask('POST', `/commissions/${approved}/approve`);
      expect(await world.owed()).toEqual({ USD: [1200, 400] });
      expect(await amounts()).toEqual([[world.anna.partnerId, 'USD', 400]]);
      expect(await world.commission(later)).toMatchObject({ payout_id: null });
      world.clock.now += 30 * DAY;
      expect(await world.owed()).toEqual({ USD: [1200, 600] });
      expect(await amounts()).toEqual([[world.anna.partnerId, 'USD', 600]]);
      expect(await world.commission(heldCommission)).not.toMatchObject({ payout_id: null });
    });

    test('subtract clawbacks of paid commissions, over several payouts if necessary', async () => {
      await world.sell('t1', 2500);
      await world.end((await onlyPayout()).id, 'mark-paid');
      await world.refund('t1');
      expect(await world.owed()).toEqual({ USD: [-500, 0] });
      await world.sell('t2', 1000);
      expect(await world.payOut()).toEqual([]);
      const carried = await world.sell('t3', 1000);
      expect(await world.payOut()).toEqual([]);
      expect(await world.commission(carried)).toMatchObject({ payout_id: null });
      await world.sell('t4', 1000);
      expect(await world.owed()).toEqual({ USD: [100, 100] });
      expect(await onlyPayout()).toMatchObject({ amount_cents: 100, commissions: 3 });
    });

    test('subtract a clawback before commissions on hold become payable', async () => {
      await world.sell('t1', 2500);
      await world.end((await onlyPayout()).id, 'mark-paid');
      await hold(30);
      await world.sell('t2', 2500);
      await hold(0);
      await world.sell('t3', 1000);
      await world.refund('t1');
      expect(await world.owed()).toEqual({ USD: [200, 0] });
      expect(await world.payOut()).toEqual([]);
      world.clock.now += 30 * DAY;
      expect(await onlyPayout()).toMatchObject({ amount_cents: 200, commissions: 2 });
    });

    test('no payout below the minimum is created; a later payout contains everything', async () => {
      await world.sell('t1', 1000);
      expect(await world.payOut({ min_amount_cents: 201 })).toEqual([]);
      await world.sell('t2', 5);
      expect(await world.payOut({ min_amount_cents: 201 })).toMatchObject([
        { amount_cents: 201, commissions: 2 },
      ]);
      expect(await world.payOut({ min_amount_cents: 0 })).toEqual([]);
    });

    test('payouts in different currencies are separate and not netted with each other', async () => {
      const partner = world.anna.partnerId;
      await world.sell('t1', 1000, { currency: 'EUR' });
      await world.sell('t2', 1000, { currency: 'JPY' });
      expect(await amounts()).toEqual([
        [partner, 'EUR', 200],
        [partner, 'JPY', 200],
      ]);
      for (const payout of (await world.ask('GET', '/payouts')).body['data'] as { id: number }[]) {
        await world.end(payout.id, 'mark-paid');
      }
      await world.refund('t1');
      await world.sell('t3', 500, { currency: 'JPY' });
      await world.sell('t4', 500, { currency: 'EUR' });
      expect(await amounts()).toEqual([[partner, 'JPY', 100]]);
      expect(await world.owed()).toEqual({ EUR: [-100, 0], JPY: [100, 0] });
    });

    test('if partners are named, only they are paid; banned partners are paid only if they are named', async () => {
      await world.sell('t1', 1000);
      await world.sell('t2', 2000, { code: 'ben' });
      await world.ask('PUT', `/partners/${world.ben.partnerId}`, { status: 'banned' });
      expect(await amounts()).toEqual([[world.anna.partnerId, 'USD', 200]]);
      const named = { partner_ids: [world.ben.partnerId, world.ben.partnerId] };
      expect(await amounts(named)).toEqual([[world.ben.partnerId, 'USD', 400]]);
    });

    test.each([
      [{ partner_ids: [] }, 'partner_ids must name at least one partner'],
      [{ partner_ids: 5 }, 'partner_ids must be a list of partner ids'],
      [{ partner_ids: ['1'] }, 'each of partner_ids must be an integer from 1 to 9007199254740991'],
      [{ partner_ids: [999_999] }, 'partner_ids must contain only partners of the program, got 999999'],
      [{ min_amount_cents: -1 }, 'min_amount_cents must be an integer from 0 to 999999999999'],
    ])('return 400 for %j', async (body, text) => {
      await world.sell('t1', 1000);
      expect(await world.ask('POST', '/payouts', body)).toMatchObject(
        errorResponse(400, text, 'invalid_field'),
      );
      expect(await world.owed()).toEqual({ USD: [200, 200] });
    });

    test('a payout contains only money of its own program', async () => {
      const otherProgram = await addProgram(world, world.workspaceId, 'cora');
      await world.sell('t1', 1000);
      const unknown = { partner_ids: [otherProgram.partner.partnerId] };
      expect(await world.ask('POST', '/payouts', unknown)).toMatchObject({ status: 400 });
      const path = world.path.replace(/\d+$/, String(otherProgram.program.id));
      expect(await world.call('POST', `${path}/payouts`, {}, world.credential)).toMatchObject({
        status: 201,
        body: { data: [] },
      });
      const { id } = await onlyPayout();
      for (const verb of ['mark-paid', 'cancel']) {
        const reply = await world.call('POST', `${path}/payouts/${id}/${verb}`, {}, world.credential);
        expect(reply).toMatchObject(errorResponse(404, 'Not found', 'not_found'));
      }
      expect((await world.call('GET', `${path}/payouts`, undefined, world.credential)).body['data']).toEqual(
        [],
      );
    });

    describe('pending payouts', () => {
      test('a cancelled payout releases its commissions for another payout', async () => {
        const commission = await world.sell('t1', 1000);
        const { id } = await onlyPayout();
        const cancelled = await world.end(id, 'cancel');
        expect(cancelled).toMatchObject({
          status: 200,
          body: { data: { status: 'cancelled', amount_cents: 200, commissions: 0, cancelled_at: AT } },
        });
        expect(await world.commission(commission)).toMatchObject({ status: 'approved', payout_id: null });
        expect(await world.owed()).toEqual({ USD: [200, 200] });
        expect(await world.end(id, 'cancel')).toEqual({ ...cancelled, headers: expect.anything() });
        expect(await onlyPayout()).toMatchObject({ amount_cents: 200, commissions: 1 });
      });

      test('the refund of a commission lowers its pending payout; the commission stays in the payout', async () => {
        const commission = await world.sell('t1', 1000);
        await world.sell('t2', 2000);
        const { id } = await onlyPayout();
        await world.refund('t1', 500);
        expect(await world.commission(commission)).toMatchObject({ status: 'refunded', payout_id: id });
        expect((await world.ask('GET', '/payouts')).body['data']).toMatchObject([{ amount_cents: 500 }]);
        expect(await world.owed()).toEqual({ USD: [500, 0] });
        await world.end(id, 'mark-paid');
        expect(await world.commission(commission)).toMatchObject({ status: 'refunded', paid_at: AT });
        expect(await world.owed()).toEqual({ USD: [0, 0] });
      });

      test.each(['mark-paid', 'cancel'] as const)(
        'can end with %s when refunds lowered them to 0',
        async (verb) => {
          await world.sell('t1', 1000);
          const { id } = await onlyPayout();
          await world.refund('t1');
          expect(await world.ask('DELETE', '')).toMatchObject({
            status: 409,
            body: { code: 'program_has_balance' },
          });
          expect(await world.end(id, verb)).toMatchObject({
            status: 200,
            body: { data: { amount_cents: 0 } },
          });
          expect(await world.ask('DELETE', '')).toMatchObject({ status: 200 });
        },
      );

      test('the trace shows that a refund came before the payment, even in the same millisecond', async () => {
        await world.sell('t1', 1000);
        const [payout] = await world.payOut();
        await world.refund('t1', 500);
        await world.end(Number(payout?.id), 'mark-paid');
        const { body } = await world.ask('GET', '/trace?transaction_id=t1');
        const { steps } = body['data'] as { steps: { step: string; detail: object }[] };
        expect(steps.find(({ step }) => step === 'refund')?.detail).toMatchObject({
          payout_lowered_cents: 100,
          was_paid: false,
        });
      });

      test('a refund does not lower a pending payout below 0; the rest of the deduction is written off', async () => {
        await world.sell('t1', 750);
        await world.end((await onlyPayout()).id, 'mark-paid');
        await world.refund('t1');
        await world.sell('t2', 500);
        await world.sell('t3', 500);
        const { id } = await onlyPayout();
        expect(await world.refund('t2')).toMatchObject({ body: { status: 'reversed', deductionAmount: 1 } });
        expect(await world.owed()).toEqual({ USD: [0, 0] });
        const clamps = await world.engine.read
          .selectFrom('ledger_entries')
          .select(['scope', 'amount_cents'])
          .where('kind', '=', 'clamp')
          .orderBy('id')
          .execute();
        expect(clamps).toEqual([
          { scope: 'partner_program', amount_cents: 50 },
          { scope: 'partner', amount_cents: 50 },
        ]);
        expect(await world.end(id, 'mark-paid')).toMatchObject({ body: { data: { amount_cents: 0 } } });
      });

      test('a commission in a pending payout cannot be rejected', async () => {
        const commission = await world.sell('t1', 1000);
        await world.payOut();
        expect(await world.ask('POST', `/commissions/${commission}/reject`)).toMatchObject({ status: 409 });
      });
    });

    test('a payout is paid once and keeps the first reference, even if 20 requests arrive concurrently', async () => {
      await world.sell('t1', 1000);
      const { id } = await onlyPayout();
      const replies = await runConcurrently(20, (index) =>
        world.end(id, 'mark-paid', { reference: `r${index}` }),
      );
      expect(countStatuses(replies)).toEqual({ 200: 20 });
      const references = replies.map(({ body }) => (body['data'] as { reference: string }).reference);
      expect(new Set(references).size).toBe(1);
      world.clock.now += DAY;
      expect(await world.end(id, 'mark-paid', { reference: 'other' })).toMatchObject({
        status: 200,
        body: { data: { reference: references[0], paid_at: AT } },
      });
      expect(await world.balances()).toEqual({ program: { USD: 0 }, partner: { USD: 0 } });
      expect(await world.end(id, 'cancel')).toMatchObject(
        errorResponse(409, 'Payout cannot be cancelled. Current status: paid', 'payout_state'),
      );
    });

    test('cannot be paid after they were cancelled', async () => {
      await world.sell('t1', 1000);
      const { id } = await onlyPayout();
      await world.end(id, 'cancel');
      expect(await world.end(id, 'mark-paid')).toMatchObject(
        errorResponse(409, 'Payout cannot be paid. Current status: cancelled', 'payout_state'),
      );
      expect(await world.owed()).toEqual({ USD: [200, 200] });
    });

    test.each(['x', '0', '999999'])('return 404 for the unknown id %s', async (id) => {
      for (const verb of ['mark-paid', 'cancel']) {
        const reply = await world.ask('POST', `/payouts/${id}/${verb}`);
        expect(reply).toMatchObject(errorResponse(404, 'Not found', 'not_found'));
      }
    });

    test('each commission is in one payout, even if 20 requests create payouts concurrently', async () => {
      for (const code of ['anna', 'ben']) {
        for (let sale = 0; sale < 5; sale++) await world.sell(`t-${code}-${sale}`, 1000, { code });
      }
      const made = (await runConcurrently(20, () => world.payOut())).flat();
      expect(made.map((payout) => [payout.amount_cents, payout.commissions])).toEqual([
        [1000, 5],
        [1000, 5],
      ]);
    });
  });
}
