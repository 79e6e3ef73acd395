import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openSaleWorld } from '../support/sale-world.ts';
import { addProgram, makeWorld, START, type World } from '../support/world.ts';

const CLICK = '/api/v1/track/click';
const LEAD = '/api/v1/track/lead';
const TEST = { test_mode: true };

/** Tests that a test event stores a flagged row and changes nothing else. */
export function testModeContract(kind: string, open: OpenEngine): void {
  describe(`test mode on ${kind}`, () => {
    let world: World;
    beforeEach(async () => {
      world = await makeWorld(await open());
    });
    afterEach(async () => {
      for (const table of ['customers', 'counters', 'commissions', 'balances', 'outbox'] as const) {
        expect([table, await world.engine.read.selectFrom(table).selectAll().execute()]).toEqual([table, []]);
      }
      await auditAndClose(world);
    });
    const click = (fields: Record<string, unknown>, code = 'anna') =>
      world.call('POST', CLICK, { affiliate_url: `https://shop.example/?aff=${code}`, ...fields });
    const recorded = (programId: number) => ({
      status: 200,
      body: {
        success: true,
        message: expect.any(String),
        data: { eventId: expect.any(Number), programId, test_mode: true },
      },
    });

    test('records a flagged click, with or without a known link', async () => {
      const programId = world.program.id;
      expect(await click({ additional_data: TEST })).toMatchObject(recorded(programId));
      const named = { additional_data: { ...TEST, program_id: String(programId) } };
      expect(await click(named, 'unknown')).toMatchObject(recorded(programId));
      const rows = await world.engine.read
        .selectFrom('click_events')
        .select(['is_test', 'link_id'])
        .orderBy('id')
        .execute();
      expect(rows).toEqual([
        { is_test: 1, link_id: expect.any(Number) },
        { is_test: 1, link_id: null },
      ]);
    });

    test('writes concurrent clicks and leads in batches, and deletes all but the last 100 of each kind', async () => {
      const write = vi.spyOn(world.engine, 'write');
      const data = { ...TEST, program_id: world.program.id };
      const replies = await Promise.all(
        Array.from({ length: 150 }, (_, index) => [
          click({ additional_data: data }),
          world.call('POST', LEAD, { customer_key: `user-${index}`, additional_data: data }),
        ]).flat(),
      );
      expect(write.mock.calls.length).toBeLessThan(10);
      for (const reply of replies) expect(reply).toMatchObject(recorded(world.program.id));
      for (const table of ['click_events', 'lead_events'] as const) {
        const rows = await world.engine.read.selectFrom(table).select('id').orderBy('id', 'desc').execute();
        const answered = replies.filter((_, index) => (index % 2 === 0) === (table === 'click_events'));
        const ids = answered.map(({ body }) => (body['data'] as { eventId: number }).eventId);
        expect(rows.map(({ id }) => id)).toEqual(ids.sort((a, b) => b - a).slice(0, 100));
      }
    });

    test('rejects a click without a program, and an invalid URL', async () => {
      expect(await click({ additional_data: TEST }, 'unknown')).toMatchObject({
        status: 400,
        body: { error: 'program_id is required in test mode' },
      });
      expect(await click({ additional_data: { ...TEST, program_id: 999_999 } }, 'unknown')).toMatchObject({
        status: 400,
        body: { error: 'Program not found' },
      });
      expect(
        await world.call('POST', CLICK, { affiliate_url: 'nonsense', additional_data: TEST }),
      ).toMatchObject({
        status: 400,
        body: { error: 'Invalid affiliate_url' },
      });
      expect(await click({ additional_data: { test_mode: 'yes' } })).toMatchObject({
        status: 400,
        body: { error: 'additional_data.test_mode must be a boolean' },
      });
    });

    test('records a click with a repeated idempotency key each time', async () => {
      const body = { additional_data: { ...TEST, idempotency_key: 'k' } };
      await Promise.all(Array.from({ length: 20 }, () => click(body)));
      expect(await world.engine.read.selectFrom('click_events').select('id').execute()).toHaveLength(20);
    });

    test('deletes all but the last 100 events of each kind and program', async () => {
      const otherProgram = await addProgram(world, world.workspaceId, 'carl');
      await click({ additional_data: TEST }, 'carl');
      for (let index = 0; index < 105; index++) await click({ additional_data: TEST });
      const rows = await world.engine.read
        .selectFrom('click_events')
        .select(['program_id', (select) => select.fn.countAll<number>().as('count')])
        .groupBy('program_id')
        .orderBy('program_id')
        .execute();
      expect(rows.map((row) => [row.program_id, Number(row.count)])).toEqual([
        [world.program.id, 100],
        [otherProgram.program.id, 1],
      ]);
    });

    test('a lead needs a program, but no customer and no valid token', async () => {
      const programId = world.program.id;
      const headers = { authorization: 'Bearer nonsense' };
      const body = { additional_data: { ...TEST, program_id: programId } };
      expect(await world.call('POST', LEAD, body, headers)).toMatchObject(recorded(programId));
      expect(await world.track('lead', { additional_data: TEST })).toMatchObject(recorded(programId));
      expect(await world.call('POST', LEAD, { additional_data: TEST })).toMatchObject({
        status: 400,
        body: { error: 'program_id is required in test mode' },
      });
      expect(await world.call('POST', LEAD, body, { origin: 'https://evil.example' })).toMatchObject({
        status: 403,
      });
    });

    test('a sale needs only a token; generated transaction ids are unique', async () => {
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => world.track('sale', { additional_data: TEST })),
      );
      expect(replies).toMatchObject(Array(20).fill(recorded(world.program.id)));
      const sales = await world.engine.read.selectFrom('sales').select('processor_event_id').execute();
      expect(sales.map((sale) => sale.processor_event_id).sort()).toEqual(
        Array.from({ length: 20 }, (_, index) => `test_txn_${START + index}`),
      );
      expect((await world.call('POST', '/api/v1/track/sale', { additional_data: TEST })).status).toBe(401);
    });

    test('a repeated transaction id is a duplicate only among test sales', async () => {
      const sale = { transaction_id: 't1', amount_cents: 500, additional_data: TEST };
      expect(await world.track('sale', sale)).toMatchObject(recorded(world.program.id));
      expect(await world.track('sale', sale)).toMatchObject({
        status: 409,
        body: { code: 'duplicate_transaction', statusCode: 409 },
      });
      const real = await world.track('sale', { transaction_id: 't1', amount_cents: 500 });
      expect(real.body['error']).toBe('Customer not found. Provide customer_key or click_id.');
    });

    describe('a refund', () => {
      const refund = (fields: object = {}) =>
        world.track('refund', { transaction_id: 't1', additional_data: TEST, ...fields });
      const sell = (fields: object = {}) =>
        world.track('sale', { transaction_id: 't1', additional_data: TEST, ...fields });
      const stored = () => world.engine.read.selectFrom('test_refunds').selectAll().orderBy('id').execute();

      test('is recorded each time it is sent without a refund_id, with its amount and reason', async () => {
        await sell({ amount_cents: 500 });
        const partial = { refund_amount_cents: 200, refund_reason: 'broken' };
        expect(await refund(partial)).toMatchObject(recorded(world.program.id));
        const whole = await refund();
        expect(whole).toMatchObject(recorded(world.program.id));
        expect(await stored()).toMatchObject([
          { is_test: 1, refund_amount_cents: 200, reason: 'broken', refund_at: START },
          { is_test: 1, refund_amount_cents: null, reason: null },
        ]);
        expect((await stored())[1]?.id).toBe((whole.body['data'] as { eventId: number }).eventId);
        expect(await world.engine.read.selectFrom('refunds').selectAll().execute()).toEqual([]);
      });

      test('finds only test sales of the program, and a real refund finds no test sale', async () => {
        expect(await refund()).toMatchObject({ status: 404, body: { code: 'sale_not_found' } });
        await sell();
        const { authorization } = await addProgram(world, world.workspaceId, 'carl');
        const body = { transaction_id: 't1', additional_data: TEST };
        const foreign = await world.call('POST', '/api/v1/track/refund', body, { authorization });
        expect(foreign.status).toBe(404);
        expect((await world.track('refund', { transaction_id: 't1' })).status).toBe(404);
      });

      test('is rejected without a valid amount, transaction id and token', async () => {
        await sell({ amount_cents: 500 });
        expect((await refund({ refund_amount_cents: 501 })).body['code']).toBe('refund_exceeds_sale');
        expect((await refund({ refund_amount_cents: -1 })).status).toBe(400);
        expect((await refund({ transaction_id: undefined })).body['error']).toBe(
          'transaction_id is required',
        );
        const body = { transaction_id: 't1', additional_data: TEST };
        expect((await world.call('POST', '/api/v1/track/refund', body)).status).toBe(401);
        expect(await stored()).toEqual([]);
      });

      test('may have any amount if the test sale has no amount', async () => {
        await sell();
        expect((await refund({ refund_amount_cents: 501 })).status).toBe(200);
      });

      test('is recorded once per sale and refund_id, even when it is sent many times concurrently', async () => {
        await sell({ amount_cents: 500 });
        const named = { refund_id: 'r1', refund_amount_cents: 300, refund_reason: 'broken' };
        const replies = await Promise.all(Array.from({ length: 20 }, () => refund(named)));
        const [row] = await stored();
        expect(row).toMatchObject({ refund_id: 'r1', refund_amount_cents: 300, reason: 'broken' });
        expect(await stored()).toHaveLength(1);
        const first = { status: 200, body: { data: { eventId: row?.id, test_mode: true } } };
        expect(replies).toMatchObject(Array(20).fill(first));
        // A repeat with another amount gets the first result, because the refund id is the same.
        expect(await refund({ ...named, refund_amount_cents: 500 })).toMatchObject(first);
        await sell({ amount_cents: 500, transaction_id: 't2' });
        expect((await refund({ ...named, transaction_id: 't2' })).status).toBe(200);
        expect(await stored()).toHaveLength(2);
      });

      test('is accepted with a new refund_id up to what is left of the sale', async () => {
        await sell({ amount_cents: 500 });
        const part = (refund_id: string, cents?: number) => refund({ refund_id, refund_amount_cents: cents });
        const exceeds = (left: number) => ({
          status: 400,
          body: {
            error: `refund_amount_cents exceeds the rest of the sale: ${left} of 500`,
            code: 'refund_exceeds_sale',
          },
        });
        expect(await part('r1', 501)).toMatchObject({ status: 400, body: { code: 'refund_exceeds_sale' } });
        expect((await part('r1', 100)).status).toBe(200);
        expect((await refund({ refund_amount_cents: 150 })).status).toBe(200);
        expect(await part('r2', 251)).toMatchObject(exceeds(250));
        expect((await part('r2', 50)).status).toBe(200);
        const rest = await part('r3');
        expect(rest.status).toBe(200);
        expect(await part('r4', 1)).toMatchObject(exceeds(0));
        expect((await part('r3')).body).toEqual(rest.body);
        expect((await stored()).map((row) => [row.refund_id, row.refund_amount_cents])).toEqual([
          ['r1', 100],
          [null, 150],
          ['r2', 50],
          ['r3', null],
        ]);
      });

      test('deletes all test refunds of a program except the last 100', async () => {
        await sell();
        const replies = [];
        for (let index = 0; index < 102; index++) replies.push(await refund());
        const ids = replies.map(({ body }) => (body['data'] as { eventId: number }).eventId);
        expect((await stored()).map(({ id }) => id)).toEqual(ids.slice(-100));
      });
    });
  });

  test(`on ${kind} a refund in test mode leaves a real sale with the same transaction id unchanged`, async () => {
    const world = await openSaleWorld(open);
    await world.sell();
    await world.sell({ additional_data: TEST });
    const reply = await world.track('refund', { transaction_id: 't1', additional_data: TEST });
    expect(reply.body).toMatchObject({ data: { test_mode: true } });
    expect(await world.commissions()).toMatchObject([{ status: 'approved', deducted_cents: 0 }]);
    expect((await world.track('refund', { transaction_id: 't1' })).body['status']).toBe('reversed');
    await auditAndClose(world);
  });
}
