import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changePartner } from '../src/management/partners.ts';
import { changePolicy, createPolicy } from '../src/management/policies.ts';
import { deleteProgram } from '../src/management/programs.ts';
import { auditBooks } from './books.ts';
import type { OpenEngine } from './engine-kinds.ts';
import { accepted, addProgram, makeWorld, START, type World } from './world.ts';

const DAY = 86_400_000;
const error = (status: number, text: string, code: string) => ({
  status,
  body: expect.objectContaining({ error: text, code, request_id: expect.any(String) }),
});
const DUPLICATE = 'Duplicate transaction_id. This sale has already been recorded.';

/** What sales, commissions, refunds and balances promise, on any engine. */
export function moneyContract(kind: string, open: OpenEngine): void {
  describe(`money on ${kind}`, () => {
    let world: World;
    let click: string;
    beforeEach(async () => {
      world = await makeWorld(await open());
      click = await world.click('anna');
    });
    afterEach(async () => {
      expect(await auditBooks(world.engine)).toEqual([]);
      await world.affkit.close();
    });
    const sell = (fields: Record<string, unknown> = {}) =>
      world.track('sale', { transaction_id: 't1', amount_cents: 1999, click_id: click, ...fields });
    const commissions = () => world.engine.read.selectFrom('commissions').selectAll().orderBy('id').execute();

    describe('a sale', () => {
      test('earns its partner a commission', async () => {
        expect(await sell({ customer_key: 'u1', line_items: { a: [1] }, product_id: 'pro' })).toMatchObject({
          status: 200,
          body: {
            success: true,
            sale_id: expect.any(Number),
            commission_id: expect.any(Number),
            message: expect.any(String),
          },
        });
        expect(await world.balances()).toEqual({ program: { USD: 400 }, partner: { USD: 400 } });
        expect(await commissions()).toMatchObject([
          {
            amount_cents: 400,
            currency: 'USD',
            status: 'approved',
            deducted_cents: 0,
            partner_id: world.anna.partnerId,
          },
        ]);
        expect(await world.engine.read.selectFrom('customers').selectAll().executeTakeFirst()).toMatchObject({
          status: 'conversion',
          first_purchase_at: START,
          customer_key: 'u1',
          key_state: 'verified',
        });
        expect(await world.engine.read.selectFrom('sales').selectAll().executeTakeFirst()).toMatchObject({
          processor_event_id: 't1',
          currency: 'USD',
          sale_type: 'payment',
          payment_status: 'paid',
          line_items: '{"a":[1]}',
        });
      });

      test.each([
        [{}, 'transaction_id is required and must be a string', 'transaction_id_required'],
        [
          { transaction_id: 5, amount_cents: 1 },
          'transaction_id is required and must be a string',
          'transaction_id_required',
        ],
        [
          { transaction_id: '', amount_cents: 1 },
          'transaction_id is required and must be a string',
          'transaction_id_required',
        ],
        [
          { transaction_id: 'x' },
          'amount_cents is required and must be a positive integer',
          'amount_cents_required',
        ],
        [
          { transaction_id: 'x', amount_cents: 0 },
          'amount_cents is required and must be a positive integer',
          'amount_cents_required',
        ],
        [
          { transaction_id: 'x', amount_cents: 1.5 },
          'amount_cents is required and must be a positive integer',
          'amount_cents_required',
        ],
        [
          { transaction_id: 'x', amount_cents: '100' },
          'amount_cents is required and must be a positive integer',
          'amount_cents_required',
        ],
        [
          { transaction_id: 'x', amount_cents: 1e12 },
          'amount_cents must be at most 999999999999',
          'invalid_field',
        ],
        [
          { transaction_id: 'x', amount_cents: 1, currency: 'XXQ' },
          'currency must be an ISO 4217 code, e.g. USD',
          'invalid_field',
        ],
        [
          { transaction_id: 'x', amount_cents: 1, sale_type: 'gift' },
          'sale_type must be payment or subscription',
          'invalid_field',
        ],
        [
          { transaction_id: 'x', amount_cents: 1, line_items: [1] },
          'line_items must be an object',
          'invalid_field',
        ],
        [
          { transaction_id: 'x', amount_cents: 1, occurred_at: 'yesterday' },
          'occurred_at must be an ISO 8601 date and time with a zone',
          'invalid_field',
        ],
        [
          { transaction_id: 'x', amount_cents: 1, customer_key: 42 },
          'customer_key must be a string',
          'invalid_field',
        ],
        [
          { transaction_id: 'x', amount_cents: 1 },
          'Customer not found. Provide customer_key or click_id.',
          'sale_customer_not_found',
        ],
        [
          { transaction_id: 'x', amount_cents: 1, customer_key: 'nobody' },
          'Customer not found. Provide customer_key or click_id.',
          'sale_customer_not_found',
        ],
      ])('with %j is refused and consumes nothing', async (body, text, code) => {
        expect(await world.track('sale', body)).toMatchObject(error(400, text, code));
        expect((await sell({ transaction_id: 'x' })).status).toBe(200);
      });

      test.each([
        [{}, 'authorization_missing'],
        [{ authorization: 'Bearer ' }, 'token_empty'],
        [{ authorization: 'Bearer aff_nonsense' }, 'token_invalid'],
        [{ authorization: 'Bearer affk_nonsense' }, 'token_wrong_type'],
      ])(
        'with the credential %j is 401 before anything else',
        async (headers: Record<string, string>, code) => {
          for (const path of ['/api/v1/track/sale', '/api/v1/track/refund', '/api/tracking/sale']) {
            const reply = await world.call('POST', path, '{', headers);
            expect([reply.status, reply.body['code']]).toEqual([401, code]);
          }
        },
      );

      test('with the token of a deleted program is 401', async () => {
        accepted(await deleteProgram(world.affkit.runtime, world.program));
        expect((await sell()).status).toBe(401);
      });

      test("by another program's click has no attribution here", async () => {
        const other = await addProgram(world, world.workspaceId, 'carl');
        const reply = await world.call(
          'POST',
          '/api/v1/track/sale',
          { transaction_id: 't', amount_cents: 1, click_id: click },
          { authorization: other.authorization },
        );
        expect(reply).toMatchObject(
          error(
            400,
            'No affiliate attribution found for this customer in this program',
            'no_affiliate_attribution',
          ),
        );
      });

      test('of a partner who is not approved is refused, and taken after the approval', async () => {
        const { runtime } = world.affkit;
        accepted(await changePartner(runtime, world.program, world.anna.partnerId, { status: 'banned' }));
        expect(await sell()).toMatchObject(
          error(400, 'No partner-program relationship found for this customer', 'no_partner_program'),
        );
        accepted(await changePartner(runtime, world.program, world.anna.partnerId, { status: 'approved' }));
        expect((await sell()).status).toBe(200);
      });

      test('of an erased partner is refused', async () => {
        await world.engine.write(1, async (tx) => {
          await tx.db.updateTable('customers').set({ partner_id: null }).execute();
          await tx.db.updateTable('click_events').set({ partner_id: null }).execute();
          await sql`DELETE FROM daily_totals WHERE partner_id > 0`.execute(tx.db);
        });
        expect(await sell()).toMatchObject(
          error(400, 'partnerId required to create commission', 'partner_required'),
        );
      });

      test('sent twice is a duplicate that names the recorded one', async () => {
        const first = await sell();
        expect(await sell()).toMatchObject({
          status: 409,
          body: {
            error: DUPLICATE,
            message: DUPLICATE,
            statusCode: 409,
            code: 'duplicate_transaction',
            sale_id: first.body['sale_id'],
            commission_id: first.body['commission_id'],
            identical: true,
          },
        });
        expect((await sell({ amount_cents: 2000 })).body['identical']).toBe(false);
        expect(await world.balances()).toEqual({ program: { USD: 400 }, partner: { USD: 400 } });
      });

      test("tells nothing of another program's sale", async () => {
        await sell();
        const other = await addProgram(world, world.workspaceId, 'carl');
        const id = await world.click('carl');
        const reply = await world.call(
          'POST',
          '/api/v1/track/sale',
          { transaction_id: 't1', amount_cents: 1999, click_id: id },
          { authorization: other.authorization },
        );
        expect(reply.status).toBe(409);
        expect(reply.body).toEqual({
          error: DUPLICATE,
          message: DUPLICATE,
          statusCode: 409,
          code: 'transaction_id_taken',
          request_id: expect.any(String),
        });
      });

      test('sent 50 times at once is recorded once', async () => {
        const replies = await Promise.all(Array.from({ length: 50 }, () => sell()));
        expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
        expect(replies.filter((reply) => reply.status === 409)).toHaveLength(49);
        expect(await commissions()).toHaveLength(1);
        expect(await world.balances()).toEqual({ program: { USD: 400 }, partner: { USD: 400 } });
      });

      test('20 different ones at once are all recorded', async () => {
        const replies = await Promise.all(
          Array.from({ length: 20 }, (_, index) => sell({ transaction_id: `t${index}`, amount_cents: 100 })),
        );
        expect(replies.map((reply) => reply.status)).toEqual(Array(20).fill(200));
        expect(await world.balances()).toEqual({ program: { USD: 400 }, partner: { USD: 400 } });
      });

      test('is one payment under all of its references', async () => {
        await sell({ processor_refs: ['pi_1', 'ch_1'] });
        expect((await sell({ transaction_id: 'pi_1' })).body['code']).toBe('duplicate_transaction');
        expect((await sell({ transaction_id: 't2', processor_refs: ['ch_1'] })).body['code']).toBe(
          'duplicate_transaction',
        );
        expect((await world.track('refund', { transaction_id: 'ch_1' })).body).toMatchObject({
          status: 'reversed',
          deductionAmount: 4,
        });
      });

      test('in the last millisecond of the window earns, a millisecond later it does not', async () => {
        world.clock.now = START + 60 * DAY;
        expect((await sell()).body['commission_id']).toEqual(expect.any(Number));
        world.clock.now += 1;
        expect((await sell({ transaction_id: 't2' })).body).toMatchObject({
          success: true,
          commission_id: null,
          reason: 'window_expired',
        });
        expect((await sell({ transaction_id: 't2' })).body).toMatchObject({
          commission_id: null,
          identical: true,
        });
      });

      test('takes place when the caller says', async () => {
        const at = START - 3 * DAY;
        await sell({ occurred_at: new Date(at).toISOString() });
        expect(
          await world.engine.read.selectFrom('sales').select(['sale_at', 'created_at']).executeTakeFirst(),
        ).toEqual({ sale_at: at, created_at: START });
        expect(
          (await sell({ transaction_id: 't2', occurred_at: new Date(START - 91 * DAY).toISOString() }))
            .status,
        ).toBe(400);
      });

      test('in yen and dinar earns in its own currency and unit', async () => {
        await sell({ currency: 'jpy', amount_cents: 999 });
        await sell({ transaction_id: 't2', currency: 'KWD', amount_cents: 12_345 });
        expect((await world.balances()).program).toEqual({ JPY: 200, KWD: 2469 });
        expect((await world.track('refund', { transaction_id: 't2' })).body['deductionAmount']).toBe(2.469);
        expect((await world.track('refund', { transaction_id: 't1' })).body['deductionAmount']).toBe(200);
      });

      test('waits for its hold and is then approved', async () => {
        await world.engine.write(1, async (tx) => {
          await tx.db.updateTable('programs').set({ hold_days: 14 }).execute();
        });
        await sell();
        world.clock.now = START + 14 * DAY - 1;
        await world.affkit.jobs.runOnce();
        expect(await commissions()).toMatchObject([{ status: 'pending', approved_at: null }]);
        world.clock.now += 1;
        await Promise.all([world.affkit.jobs.runOnce(), world.affkit.jobs.runOnce()]);
        expect(await commissions()).toMatchObject([{ status: 'approved', approved_at: START + 14 * DAY }]);
      });
    });

    describe('a commission policy', () => {
      test('for the product and the partner goes before all others', async () => {
        const { runtime } = world.affkit;
        const partner_id = world.anna.partnerId;
        accepted(await createPolicy(runtime, world.program, { type: 'percent', rate: 30, partner_id }));
        accepted(
          await createPolicy(runtime, world.program, { type: 'percent', rate: 40, product_id: 'pro' }),
        );
        accepted(
          await createPolicy(runtime, world.program, {
            type: 'flat',
            amount_cents: 777,
            product_id: 'pro',
            partner_id,
          }),
        );
        const amounts = [];
        for (const product_id of [undefined, 'pro', 'basic']) {
          await sell({ transaction_id: `t${product_id}`, amount_cents: 1000, product_id });
        }
        click = await world.click('ben');
        await sell({ transaction_id: 'ben', amount_cents: 1000, product_id: 'pro' });
        for (const row of await commissions()) amounts.push(row.amount_cents);
        expect(amounts).toEqual([300, 777, 300, 400]);
      });

      test('is kept by the renewals of a subscription for its months, without a window', async () => {
        const { runtime } = world.affkit;
        const policy = accepted(
          await createPolicy(runtime, world.program, {
            type: 'percent',
            rate: 50,
            product_id: 'sub',
            recurring_months: 2,
          }),
        );
        const renew = (transaction_id: string) =>
          sell({
            transaction_id,
            amount_cents: 1000,
            product_id: 'sub',
            subscription_id: 's1',
            sale_type: 'subscription',
          });
        await renew('first');
        accepted(
          await changePolicy(runtime, world.program, policy.id, {
            type: 'percent',
            rate: 10,
            recurring_months: null,
          }),
        );
        world.clock.now = Date.UTC(2026, 7, 15, 23, 59);
        await renew('second');
        world.clock.now = Date.UTC(2026, 7, 16);
        expect((await renew('third')).body).toMatchObject({
          success: true,
          commission_id: null,
          reason: 'recurring_ended',
        });
        const [first, second] = await commissions();
        expect([first?.amount_cents, second?.amount_cents, second?.first_commission_id]).toEqual([
          500,
          500,
          first?.id,
        ]);
      });

      test('that is missing leaves the sale recorded and the commission owed', async () => {
        await world.engine.write(1, async (tx) => {
          await tx.db.updateTable('policies').set({ deleted_at: 1 }).execute();
        });
        expect(await sell()).toMatchObject(error(500, 'Failed to create commission', 'commission_failed'));
        expect((await sell()).status).toBe(409);
        await world.affkit.jobs.runOnce();
        expect(await commissions()).toEqual([]);
        await world.engine.write(1, async (tx) => {
          await tx.db.updateTable('policies').set({ deleted_at: null }).execute();
        });
        world.clock.now += 3_600_000;
        await Promise.all([world.affkit.jobs.runOnce(), world.affkit.jobs.runOnce()]);
        await world.affkit.jobs.runOnce();
        expect(await commissions()).toMatchObject([{ amount_cents: 400 }]);
        expect(await world.balances()).toEqual({ program: { USD: 400 }, partner: { USD: 400 } });
      });
    });

    describe('a commission that can not be stored', () => {
      beforeEach(async () => {
        await world.engine.write(1, (tx) =>
          tx.db.schema.alterTable('ledger_entries').renameTo('gone').execute(),
        );
        expect(await sell()).toMatchObject(error(500, 'Failed to create commission', 'commission_failed'));
        await world.engine.write(1, (tx) =>
          tx.db.schema.alterTable('gone').renameTo('ledger_entries').execute(),
        );
      });

      test('is made later, once, as it was worked out then', async () => {
        expect(await world.engine.read.selectFrom('sales').select('id').execute()).toHaveLength(1);
        expect((await sell()).status).toBe(409);
        world.clock.now += 60_000;
        await Promise.all([world.affkit.jobs.runOnce(), world.affkit.jobs.runOnce()]);
        expect(await commissions()).toMatchObject([{ amount_cents: 400, commission_at: START }]);
        expect(await world.balances()).toEqual({ program: { USD: 400 }, partner: { USD: 400 } });
      });

      test('is not lost to a refund that comes first', async () => {
        expect((await world.track('refund', { transaction_id: 't1' })).body).toMatchObject({
          status: 'reversed',
          deductionAmount: 4,
        });
        await world.affkit.jobs.runOnce();
        expect(await commissions()).toMatchObject([{ amount_cents: 400, status: 'reversed' }]);
        expect(await world.balances()).toEqual({ program: { USD: 0 }, partner: { USD: 0 } });
      });
    });

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
      ])('of %j takes its share', async (fields, status, deductionAmount) => {
        const sale = await sell();
        expect((await refund(fields)).body).toEqual({
          success: true,
          status,
          deductionAmount,
          commission_id: sale.body['commission_id'],
        });
        const left = 400 - deductionAmount * 100;
        expect(await world.balances()).toEqual({ program: { USD: left }, partner: { USD: left } });
      });

      test('is taken once, however often it is sent', async () => {
        await sell();
        const replies = await Promise.all(
          Array.from({ length: 20 }, () => refund({ refund_amount_cents: 500, refund_reason: 'late' })),
        );
        expect(replies.filter((reply) => reply.body['status'] === 'refunded')).toHaveLength(1);
        expect(
          replies.filter(
            (reply) => reply.body['status'] === 'skipped' && reply.body['reason'] === 'already reversed',
          ),
        ).toHaveLength(19);
        expect(await commissions()).toMatchObject([
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
      ])('with %j is refused and changes nothing', async (fields, status, text) => {
        await sell();
        expect(await refund(fields)).toMatchObject({ status, body: { error: text } });
        expect(await world.balances()).toEqual({ program: { USD: 400 }, partner: { USD: 400 } });
      });

      test("never finds another program's sale", async () => {
        await sell();
        const other = await addProgram(world, world.workspaceId, 'carl');
        const reply = await world.call(
          'POST',
          '/api/v1/track/refund',
          { transaction_id: 't1' },
          { authorization: other.authorization },
        );
        expect(reply).toMatchObject(error(404, 'Sale not found for transaction_id', 'sale_not_found'));
      });

      test('of a sale without a commission says so', async () => {
        world.clock.now += 61 * DAY;
        await sell();
        expect((await refund()).body).toMatchObject({
          success: true,
          status: 'no_commission',
          message: expect.any(String),
        });
      });

      test('of a rejected commission is skipped', async () => {
        await sell();
        await world.engine.write(1, async (tx) => {
          await tx.db.updateTable('commissions').set({ status: 'rejected', rejected_at: START }).execute();
        });
        expect((await refund()).body).toMatchObject({ status: 'skipped', reason: expect.any(String) });
      });

      test('of a paid commission makes the balance negative and warns the advertiser', async () => {
        await sell();
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
          { kind: 'commission_reversed', partner_id: world.anna.partnerId },
          { kind: 'paid_commission_reversed', partner_id: null },
        ]);
      });

      test('stops a balance at zero unless it was negative', async () => {
        await sell();
        await payOut();
        await refund();
        await sell({ transaction_id: 't2', amount_cents: 5000 });
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

      /** Pays the first commission as a payout will: by ledger entries that empty the balance. */
      async function payOut(): Promise<void> {
        const [commission] = await commissions();
        await world.engine.write(world.workspaceId, async (tx) => {
          await tx.db.updateTable('commissions').set({ status: 'paid', paid_at: START }).execute();
          for (const scope of ['partner_program', 'partner'] as const) {
            await tx.db
              .insertInto('ledger_entries')
              .values({
                program_id: world.program.id,
                scope,
                partner_id: world.anna.partnerId,
                currency: 'USD',
                kind: 'payout',
                debit_account: 'partner_payable',
                credit_account: 'payout_paid',
                amount_cents: commission?.amount_cents ?? 0,
                created_at: START,
              })
              .execute();
          }
          await tx.db.updateTable('balances').set({ balance_cents: 0 }).execute();
        });
      }
    });
  });
}
