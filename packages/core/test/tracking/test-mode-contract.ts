import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { addProgram, makeWorld, START, type World } from '../support/world.ts';

const CLICK = '/api/v1/track/click';
const LEAD = '/api/v1/track/lead';
const TEST = { test_mode: true };

/** Tests test mode, on every engine. A test event stores a flagged row and changes nothing else. */
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

    test('a refund in test mode finds only test sales', async () => {
      const missing = await world.track('refund', { transaction_id: 't1', additional_data: TEST });
      expect(missing.status).toBe(404);
      await world.track('sale', { transaction_id: 't1', additional_data: TEST });
      const found = await world.track('refund', { transaction_id: 't1', additional_data: TEST });
      expect(found).toMatchObject({ status: 200, body: { success: true, status: 'no_commission' } });
      expect((await world.track('refund', { transaction_id: 't1' })).status).toBe(404);
    });
  });
}
