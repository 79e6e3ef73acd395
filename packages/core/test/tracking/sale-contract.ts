import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changePartner } from '../../src/management/partners.ts';
import { deleteProgram } from '../../src/management/programs.ts';
import { createWorkspace } from '../../src/management/workspaces.ts';
import type { AffkitOptions } from '../../src/options.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { errorResponse } from '../support/error-response.ts';
import { openSaleWorld, type SaleWorld } from '../support/sale-world.ts';
import { addProgram, START, unwrap } from '../support/world.ts';

const DAY = 86_400_000;
const DUPLICATE = 'Duplicate transaction_id. This sale has already been recorded.';

export function saleContract(kind: string, open: OpenEngine, options: Partial<AffkitOptions> = {}): void {
  describe(`sales on ${kind}`, () => {
    let world: SaleWorld;
    beforeEach(async () => {
      world = await openSaleWorld(open, options);
    });
    afterEach(() => auditAndClose(world));

    describe('a sale', () => {
      test('earns its partner a commission', async () => {
        expect(
          await world.sell({ customer_key: 'u1', line_items: { a: [1] }, product_id: 'pro' }),
        ).toMatchObject({
          status: 200,
          body: {
            success: true,
            sale_id: expect.any(Number),
            commission_id: expect.any(Number),
            message: expect.any(String),
          },
        });
        expect(await world.balances()).toEqual({ program: { USD: 400 }, partner: { USD: 400 } });
        expect(await world.commissions()).toMatchObject([
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

      test('gets a 401 with the token of a deleted program', async () => {
        unwrap(await deleteProgram(world.affkit.runtime, world.program));
        expect((await world.sell()).status).toBe(401);
      });

      test('is attributed to its own click, which has a verified key, even if another click has claimed the sale’s key', async () => {
        await world.track('lead', { click_id: world.clickId, customer_key: 'first' });
        const claimingClick = await world.click('ben');
        await world.call('POST', '/api/v1/track/lead', { click_id: claimingClick, customer_key: 'second' });
        expect((await world.sell({ customer_key: 'second' })).status).toBe(200);
        expect((await world.balances()).program).toEqual({ USD: 400 });
        expect((await world.balances(world.ben.partnerId)).program).toEqual({});
        const notes = await world.engine.read.selectFrom('trace_notes').select('reason').execute();
        expect(notes).toEqual([{ reason: 'customer_key_claim_passed_over' }]);
      });

      test('leaves no balance in a deleted program if it is concurrent with the deletion', async () => {
        const [deleted, ...sales] = await Promise.all([
          deleteProgram(world.affkit.runtime, world.program),
          ...Array.from({ length: 20 }, (_, index) => world.sell({ transaction_id: `t${index}` })),
        ]);
        const recorded = sales.filter((reply) => reply.status === 200).length;
        const owed = (await world.balances()).program['USD'] ?? 0;
        expect([deleted === true, recorded, owed]).toEqual(
          deleted === true ? [true, 0, 0] : [false, recorded, recorded * 400],
        );
        expect(sales.every((reply) => reply.status === 200 || reply.status === 401)).toBe(true);
      });

      test('is rejected if its click belongs to another program', async () => {
        const otherProgram = await addProgram(world, world.workspaceId, 'carl');
        const reply = await world.call(
          'POST',
          '/api/v1/track/sale',
          { transaction_id: 't', amount_cents: 1, click_id: world.clickId },
          { authorization: otherProgram.authorization },
        );
        expect(reply).toMatchObject(
          errorResponse(
            400,
            'No affiliate attribution found for this customer in this program',
            'no_affiliate_attribution',
          ),
        );
      });

      test('is rejected while the partner is not approved, and accepted after the approval', async () => {
        const { runtime } = world.affkit;
        unwrap(await changePartner(runtime, world.program, world.anna.partnerId, { status: 'banned' }, null));
        expect(await world.sell()).toMatchObject(
          errorResponse(400, 'No partner-program relationship found for this customer', 'no_partner_program'),
        );
        unwrap(
          await changePartner(runtime, world.program, world.anna.partnerId, { status: 'approved' }, null),
        );
        expect((await world.sell()).status).toBe(200);
      });

      test('is rejected if the partner was erased', async () => {
        await world.engine.write(1, async (tx) => {
          await tx.db.updateTable('customers').set({ partner_id: null }).execute();
          await tx.db.updateTable('click_events').set({ partner_id: null }).execute();
          await sql`DELETE FROM daily_totals WHERE partner_id > 0`.execute(tx.db);
        });
        expect(await world.sell()).toMatchObject(
          errorResponse(400, 'partnerId required to create commission', 'partner_required'),
        );
      });

      test('is a duplicate if repeated in test mode, and the reply says whether both sales are identical', async () => {
        const fields = { additional_data: { test_mode: true } };
        const { body } = await world.sell(fields);
        const recorded = { sale_id: (body['data'] as { eventId: number }).eventId, commission_id: null };
        expect((await world.sell(fields)).body).toMatchObject({
          ...recorded,
          statusCode: 409,
          identical: true,
        });
        expect((await world.sell({ ...fields, amount_cents: 7 })).body).toMatchObject({
          ...recorded,
          identical: false,
        });
      });

      test('returns 409 with the recorded sale when the transaction id already exists', async () => {
        const first = await world.sell();
        expect(await world.sell()).toMatchObject({
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
        expect((await world.sell({ amount_cents: 2000 })).body['identical']).toBe(false);
        expect((await world.sell({ click_id: undefined, customer_key: 5 })).status).toBe(409);
        expect(await world.balances()).toEqual({ program: { USD: 400 }, partner: { USD: 400 } });
      });

      test('is not identical to a sale whose lines earn a different commission', async () => {
        const line = { product_id: 'pro', amount_cents: 1999 };
        await world.sell({ line_items: { data: [line], note: 'gift' } });
        const isIdentical = async (fields: Record<string, unknown>) =>
          (await world.sell(fields)).body['identical'];
        expect(await isIdentical({ line_items: { data: [line] } })).toBe(true);
        expect(await isIdentical({ line_items: { data: [{ ...line, product_id: 'basic' }] } })).toBe(false);
        expect(await isIdentical({ line_items: { data: [{ ...line, tax_cents: 99 }] } })).toBe(false);
        expect(await isIdentical({ line_items: { data: [line] }, amount_cents: 7 })).toBe(false);
        expect(await isIdentical({})).toBe(false);
      });

      test('is identical to a sale with other lines if its product_id applies to the whole sale', async () => {
        const sellPro = (product_id: string) =>
          world.sell({ product_id: 'pro', line_items: [{ product_id, amount_cents: 1999 }] });
        await sellPro('a');
        expect((await sellPro('b')).body['identical']).toBe(true);
      });

      test("returns 409 without ids when the transaction id belongs to another program's sale", async () => {
        await world.sell();
        const otherProgram = await addProgram(world, world.workspaceId, 'carl');
        const id = await world.click('carl');
        const reply = await world.call(
          'POST',
          '/api/v1/track/sale',
          { transaction_id: 't1', amount_cents: 1999, click_id: id },
          { authorization: otherProgram.authorization },
        );
        expect(reply.status).toBe(409);
        expect(reply.body).toEqual({
          error: DUPLICATE,
          message: DUPLICATE,
          statusCode: 409,
          code: 'transaction_id_taken',
          hint: expect.stringContaining('Send it again with a different id'),
          request_id: expect.any(String),
        });
      });

      test('is recorded once if it is sent 50 times concurrently', async () => {
        const replies = await Promise.all(Array.from({ length: 50 }, () => world.sell()));
        expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
        expect(replies.filter((reply) => reply.status === 409)).toHaveLength(49);
        expect(await world.commissions()).toHaveLength(1);
        expect(await world.balances()).toEqual({ program: { USD: 400 }, partner: { USD: 400 } });
      });

      test('20 different sales sent concurrently are all recorded', async () => {
        const replies = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            world.sell({ transaction_id: `t${index}`, amount_cents: 100 }),
          ),
        );
        expect(replies.map((reply) => reply.status)).toEqual(Array(20).fill(200));
        expect(await world.balances()).toEqual({ program: { USD: 400 }, partner: { USD: 400 } });
      });

      test('is found as the same payment by any of its references', async () => {
        await world.sell({ processor_refs: ['pi_1', 'ch_1'] });
        expect((await world.sell({ transaction_id: 'pi_1' })).body['code']).toBe('duplicate_transaction');
        expect((await world.sell({ transaction_id: 't2', processor_refs: ['ch_1'] })).body['code']).toBe(
          'duplicate_transaction',
        );
        expect((await world.track('refund', { transaction_id: 'ch_1' })).body).toMatchObject({
          status: 'reversed',
          deductionAmount: 4,
        });
      });

      test('is found by its reference when another workspace uses the reference as a transaction id', async () => {
        const sale = await world.sell({ processor_refs: ['pi_1'] });
        const { id } = await createWorkspace(world.affkit.runtime, { name: 'Else', ownerId: 1 });
        const otherProgram = await addProgram(world, id, 'carl');
        const taken = { transaction_id: 'pi_1', amount_cents: 1, click_id: await world.click('carl') };
        const { authorization } = otherProgram;
        expect((await world.call('POST', '/api/v1/track/sale', taken, { authorization })).status).toBe(200);
        expect((await world.sell({ transaction_id: 'pi_1' })).body).toMatchObject({
          code: 'duplicate_transaction',
          sale_id: sale.body['sale_id'],
        });
        const refund = await world.track('refund', { transaction_id: 'pi_1' });
        expect(refund.body).toMatchObject({ status: 'reversed', deductionAmount: 4 });
      });

      test('earns a commission in the last millisecond of the window, and none a millisecond later', async () => {
        world.clock.now = START + 60 * DAY;
        expect((await world.sell()).body['commission_id']).toEqual(expect.any(Number));
        world.clock.now += 1;
        expect((await world.sell({ transaction_id: 't2' })).body).toMatchObject({
          success: true,
          commission_id: null,
          reason: 'window_expired',
        });
        expect((await world.sell({ transaction_id: 't2' })).body).toMatchObject({
          commission_id: null,
          identical: true,
        });
      });

      test('earns a commission that is approved when the hold period ends', async () => {
        await world.engine.write(1, async (tx) => {
          await tx.db.updateTable('programs').set({ hold_days: 14 }).execute();
        });
        await world.sell();
        world.clock.now = START + 14 * DAY - 1;
        await world.affkit.jobs.runOnce();
        expect(await world.commissions()).toMatchObject([{ status: 'pending', approved_at: null }]);
        world.clock.now += 1;
        await Promise.all([world.affkit.jobs.runOnce(), world.affkit.jobs.runOnce()]);
        expect(await world.commissions()).toMatchObject([
          { status: 'approved', approved_at: START + 14 * DAY },
        ]);
      });
    });
  });
}
