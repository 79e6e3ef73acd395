import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openSaleWorld, type SaleWorld } from '../support/sale-world.ts';
import { START } from '../support/world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function eventAgeContract(kind: string, open: OpenEngine): void {
  describe(`age_ms on ${kind}`, () => {
    let world: SaleWorld;
    beforeEach(async () => {
      world = await openSaleWorld(open);
    });
    afterEach(() => auditAndClose(world));

    /** Returns the times of an event that waited for `age` at a sender whose clock is wrong by `skew`. */
    const queued = (age: number, skew: number) => ({
      occurred_at: new Date(world.clock.now + skew - age).toISOString(),
      age_ms: age,
    });
    const saleTimes = async () => {
      const rows = await world.engine.read.selectFrom('sales').select('sale_at').orderBy('id').execute();
      return rows.map(({ sale_at }) => sale_at - START);
    };

    test('corrects the time of a sale if the clock of its sender is ahead or behind', async () => {
      for (const [index, skew] of [HOUR, 6 * MINUTE, 400 * DAY, -HOUR, -400 * DAY].entries()) {
        const reply = await world.sell({ transaction_id: `t${index}`, ...queued(20 * MINUTE, skew) });
        expect(reply.status).toBe(200);
      }
      expect(await saleTimes()).toEqual(Array.from({ length: 5 }, () => -20 * MINUTE));
    });

    test('keeps occurred_at if the clock is wrong by up to five minutes, but stores no future time', async () => {
      await world.sell({ transaction_id: 'slow', ...queued(HOUR, -4 * MINUTE) });
      await world.sell({ transaction_id: 'fast', ...queued(0, 4 * MINUTE) });
      await world.sell({ transaction_id: 'alone', age_ms: 2 * HOUR });
      expect(await saleTimes()).toEqual([-HOUR - 4 * MINUTE, 0, -2 * HOUR]);
    });

    test('an event that is repeated with another age gets the same result and does not change the stored time', async () => {
      const first = await world.sell({ ...queued(HOUR, DAY) });
      world.clock.now += HOUR;
      const repeated = await world.sell({ ...queued(2 * HOUR, DAY) });
      expect(repeated).toMatchObject({
        status: 409,
        body: { sale_id: first.body['sale_id'], identical: true, code: 'duplicate_transaction' },
      });
      expect(await saleTimes()).toEqual([-HOUR]);
      const refund = { transaction_id: 't1', refund_id: 're_1', refund_amount_cents: 999 };
      const refunded = await world.track('refund', { ...refund, ...queued(MINUTE, DAY) });
      const again = await world.track('refund', { ...refund, ...queued(HOUR, -DAY) });
      expect([refunded.status, again.body]).toEqual([200, refunded.body]);
      const { refund_at } = await world.engine.read
        .selectFrom('refunds')
        .select('refund_at')
        .executeTakeFirstOrThrow();
      expect(refund_at - START).toBe(HOUR - MINUTE);
    });

    test('corrects the sign-up time only if the lead has a token', async () => {
      const lead = { click_id: world.clickId, customer_key: 'u1' };
      expect((await world.track('lead', { ...lead, ...queued(HOUR, DAY) })).status).toBe(200);
      expect(await world.track('lead', { ...lead, ...queued(2 * HOUR, DAY) })).toMatchObject({
        body: { code: 'lead_already_recorded' },
      });
      const other = await world.click('anna');
      await world.call('POST', '/api/v1/track/lead', { click_id: other, ...queued(HOUR, DAY) });
      const rows = await world.engine.read
        .selectFrom('lead_events')
        .select('lead_at')
        .orderBy('id')
        .execute();
      expect(rows.map(({ lead_at }) => lead_at - START)).toEqual([-HOUR, 0]);
    });

    test('a wrong clock does not move a sale out of the attribution window', async () => {
      world.clock.now += 59 * DAY;
      const late = { ...queued(12 * HOUR, 30 * DAY), click_id: world.clickId };
      expect((await world.sell(late)).body['commission_id']).toEqual(expect.any(Number));
    });

    test.each([
      [{ age_ms: -1 }, 'age_ms must be an integer from 0 to 7776000000'],
      [{ age_ms: 0.5 }, 'age_ms must be an integer from 0 to 7776000000'],
      [{ age_ms: '5' }, 'age_ms must be an integer from 0 to 7776000000'],
      [{ age_ms: 90 * DAY + 1 }, 'age_ms must be an integer from 0 to 7776000000'],
      [
        { age_ms: 90 * DAY, occurred_at: new Date(START - 90 * DAY - MINUTE).toISOString() },
        'occurred_at must be at most 90 days in the past',
      ],
      [
        { occurred_at: new Date(START + 6 * MINUTE).toISOString() },
        'occurred_at must be at most 5 minutes in the future',
      ],
    ])('rejects %j', async (fields, error) => {
      for (const route of ['sale', 'refund', 'lead'] as const) {
        const body = { transaction_id: 't1', amount_cents: 1999, click_id: world.clickId, ...fields };
        expect(await world.track(route, body)).toMatchObject({
          status: 400,
          body: { error, code: 'invalid_field' },
        });
      }
      expect(await saleTimes()).toEqual([]);
    });
  });
}
