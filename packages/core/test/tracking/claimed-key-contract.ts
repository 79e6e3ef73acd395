import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/calendar.ts';
import { changeProgram } from '../../src/management/programs.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openSaleWorld, type SaleWorld } from '../support/sale-world.ts';
import { findStep, summarizeSteps, TraceClient } from '../support/trace-client.ts';
import { unwrap } from '../support/world.ts';

const LEAD = '/api/v1/track/lead';

export function claimedKeyContract(kind: string, open: OpenEngine): void {
  describe(`a customer key from a browser on ${kind}`, () => {
    let world: SaleWorld;
    let tracer: TraceClient;
    beforeEach(async () => {
      world = await openSaleWorld(open);
      tracer = await TraceClient.of(world);
    });
    afterEach(() => auditAndClose(world));

    /** Reports a lead from a browser, without a token, so anyone could send it. */
    const claim = (click_id: string, customer_key: string, origin?: string) =>
      world.call('POST', LEAD, { click_id, customer_key }, origin === undefined ? {} : { origin });
    const sellByKey = (id = 't1', customer_key = 'u1') =>
      world.track('sale', { transaction_id: id, amount_cents: 1000, customer_key });
    const payable = async () => {
      const { body } = await tracer.manage('GET', '/partners');
      const rows = body['data'] as { name: string; payable_cents: number }[];
      return rows.find((row) => row.name === 'anna')?.payable_cents;
    };
    const payouts = async () => (await tracer.manage('POST', '/payouts', {})).body['data'];
    const commission = async (id = 't1') => {
      const { body } = await tracer.manage('GET', '/commissions');
      const rows = body['data'] as { id: number; transaction_id: string; needs_approval: boolean }[];
      const row = rows.find(({ transaction_id }) => transaction_id === id);
      if (!row) throw new Error(`No commission of ${id}`);
      return row;
    };

    /** Returns the commissions that wait for an approval, as the list, its `meta`, and the totals report them. */
    const inReview = async () => {
      const filter = 'needs_approval=1&dateFrom=2000-01-01';
      const { body } = await tracer.manage('GET', `/commissions?${filter}`);
      const rows = body['data'] as { transaction_id: string }[];
      const meta = body['meta'] as { pagination: { total: number } };
      const totals = (await tracer.manage('GET', `/commissions/totals?${filter}`)).body['data'];
      return {
        listed: rows.map(({ transaction_id }) => transaction_id),
        total: meta.pagination.total,
        count: (totals as { count: number }[]).reduce((sum, { count }) => sum + count, 0),
      };
    };

    test.each([undefined, 'https://shop.example'])(
      'pays nobody for a sale that names only the key, with Origin %s',
      async (origin) => {
        expect((await claim(world.clickId, 'u1', origin)).status).toBe(200);
        // The reply is the same as for any attributed sale.
        expect(await sellByKey()).toMatchObject({
          status: 200,
          body: { success: true, commission_id: expect.any(Number), message: 'Sale tracked successfully' },
        });
        await world.affkit.jobs.runOnce();
        expect(await commission()).toMatchObject({ status: 'pending', needs_approval: true });
        expect([await payable(), await payouts()]).toEqual([0, []]);
      },
    );

    test('earns its commission after a manual approval, and the trace says why the commission needed one', async () => {
      await claim(world.clickId, 'u1');
      await sellByKey();
      const steps = await tracer.steps('customer_key=u1');
      expect(summarizeSteps(steps)).not.toContain('approval hold_passed');
      expect(findStep(steps, 'customer_key_only_claimed').why).toMatch(
        /^The sale named only a customer_key that a browser had claimed/,
      );
      const { id } = await commission();
      expect(await inReview()).toEqual({ listed: ['t1'], total: 1, count: 1 });
      await tracer.manage('POST', `/commissions/${id}/approve`, {});
      expect(await commission()).toMatchObject({ status: 'approved', needs_approval: false });
      expect(await inReview()).toEqual({ listed: [], total: 0, count: 0 });
      expect(await payable()).toBe(200);
      expect(summarizeSteps(await tracer.steps('customer_key=u1'))).toContain('approval approved_by_hand');
    });

    test.each(['lead', 'sale'] as const)(
      'earns its commission as soon as a %s with the token names both the key and the click',
      async (event) => {
        await claim(world.clickId, 'u1');
        await sellByKey();
        const proof = { click_id: world.clickId, customer_key: 'u1' };
        await world.track(event, {
          ...proof,
          ...(event === 'sale' && { transaction_id: 't2', amount_cents: 500 }),
        });
        expect(await commission()).toMatchObject({ needs_approval: false });
        await world.affkit.jobs.runOnce();
        expect(await commission()).toMatchObject({ status: 'approved' });
        expect(await payable()).toBe(event === 'sale' ? 300 : 200);
        expect(summarizeSteps(await tracer.steps('customer_key=u1'))).toContain(
          'note customer_key_confirmed',
        );
        expect((await sellByKey('t3')).status).toBe(200);
        expect(await commission('t3')).toMatchObject({ status: 'approved', needs_approval: false });
      },
    );

    test('leaves the first commission in review when the server assigns the key to another click', async () => {
      const claimingClick = await world.click('ben');
      await claim(claimingClick, 'u1');
      await sellByKey();
      await world.track('lead', { click_id: world.clickId, customer_key: 'u1' });
      await sellByKey('t2');
      expect(await commission()).toMatchObject({ needs_approval: true, status: 'pending' });
      expect(await commission('t2')).toMatchObject({ needs_approval: false, status: 'approved' });
      expect(await payouts()).toMatchObject([{ partner_id: world.anna.partnerId, amount_cents: 200 }]);
    });

    test('earns a commission that needs an approval, so a payout of other commissions leaves it out', async () => {
      await claim(world.clickId, 'u1');
      await sellByKey();
      const click_id = await world.click('anna');
      await world.track('sale', { transaction_id: 't2', amount_cents: 500, click_id });
      expect(await payouts()).toMatchObject([{ amount_cents: 100 }]);
      expect(await payable()).toBe(0);
      expect(await commission()).toMatchObject({ payout_id: null, needs_approval: true });
    });

    test('leaves the commission in review when the server names another key for the click', async () => {
      await claim(world.clickId, 'u1');
      await sellByKey();
      await world.track('lead', { click_id: world.clickId, customer_key: 'u2' });
      expect(await commission()).toMatchObject({ needs_approval: true });
    });

    test('needs no approval for a sale that names the click, or after a lead with the token', async () => {
      await claim(world.clickId, 'u1');
      await world.sell({ customer_key: 'u1' });
      expect(await commission()).toMatchObject({ needs_approval: false, status: 'approved' });
      const other = await world.click('anna');
      await world.track('lead', { click_id: other, customer_key: 'u2' });
      await sellByKey('t2', 'u2');
      expect(await commission('t2')).toMatchObject({ needs_approval: false, status: 'approved' });
    });

    test('needs an approval for the rest of a commission after a partial refund', async () => {
      await claim(world.clickId, 'u1');
      await sellByKey();
      await world.track('refund', { transaction_id: 't1', refund_amount_cents: 500 });
      const { id } = await commission();
      expect(await commission()).toMatchObject({ status: 'refunded', needs_approval: true });
      expect(await payable()).toBe(0);
      for (const _ of [1, 2]) {
        expect(await tracer.manage('POST', `/commissions/${id}/approve`, {})).toMatchObject({
          status: 200,
          body: { data: { status: 'refunded', needs_approval: false } },
        });
      }
      expect(await payable()).toBe(100);
    });

    test('needs no approval when a correction deducts the rest of a partly refunded commission', async () => {
      await claim(world.clickId, 'u1');
      await sellByKey();
      await world.track('refund', { transaction_id: 't1', refund_amount_cents: 500 });
      const { id } = await commission();
      expect((await inReview()).listed).toEqual(['t1']);
      await tracer.manage('POST', `/commissions/${id}/adjust`, { amount_cents: -100, reason: 'mistake' });
      expect(await commission()).toMatchObject({ status: 'refunded', needs_approval: false });
      expect(await inReview()).toEqual({ listed: [], total: 0, count: 0 });
      expect(await tracer.manage('POST', `/commissions/${id}/approve`, {})).toMatchObject({ status: 409 });
    });

    test('needs an approval for an amount that a correction adds after a full refund', async () => {
      await claim(world.clickId, 'u1');
      await sellByKey();
      const { id } = await commission();
      await world.track('refund', { transaction_id: 't1' });
      expect(await commission()).toMatchObject({ status: 'reversed', needs_approval: false });
      expect((await inReview()).total).toBe(0);
      expect(await tracer.manage('POST', `/commissions/${id}/approve`, {})).toMatchObject({ status: 409 });
      await tracer.manage('POST', `/commissions/${id}/adjust`, { amount_cents: 50, reason: 'goodwill' });
      expect(await commission()).toMatchObject({ status: 'reversed', needs_approval: true });
      expect((await inReview()).total).toBe(1);
      expect(await payable()).toBe(0);
      expect(await tracer.manage('POST', `/commissions/${id}/approve`, {})).toMatchObject({
        status: 200,
        body: { data: { status: 'reversed', needs_approval: false } },
      });
      expect(await payable()).toBe(50);
      expect(await payouts()).toMatchObject([{ amount_cents: 50 }]);
    });

    test('earns its commission without an approval if the program setting claimed_keys is "pay"', async () => {
      const settings = { claimed_keys: 'pay' } as const;
      unwrap(await changeProgram(world.affkit.runtime, world.program, settings));
      await claim(world.clickId, 'u1');
      await sellByKey();
      expect(await commission()).toMatchObject({ needs_approval: false, status: 'approved' });
      expect(await payable()).toBe(200);
    });

    test('needs an approval for a renewal that was reported before the first payment of its subscription', async () => {
      await claim(world.clickId, 'u1');
      const startedAt = new Date(world.clock.now).toISOString();
      world.clock.now += 70 * DAY_MS;
      // The first session has expired.
      tracer = await TraceClient.of(world);
      const pay = (transaction_id: string, fields: object) =>
        world.track('sale', {
          transaction_id,
          amount_cents: 1000,
          customer_key: 'u1',
          subscription_id: 's1',
          ...fields,
        });
      expect((await pay('t2', {})).body).toMatchObject({ reason: 'window_expired' });
      await pay('t1', { occurred_at: startedAt });
      await world.affkit.jobs.runOnce();
      expect(await commission('t2')).toMatchObject({ needs_approval: true });
      expect(await payable()).toBe(0);
      const steps = summarizeSteps(await tracer.steps('transaction_id=t2'));
      expect(steps.filter((step) => step.endsWith('customer_key_only_claimed'))).toHaveLength(2);
    });

    const setPolicies = (deleted_at: number | null) =>
      world.engine.write(1, (tx) => tx.db.updateTable('policies').set({ deleted_at }).execute());
    const runRepairs = async () => {
      await tracer.pass(3_600_000);
      await world.affkit.jobs.runOnce();
    };

    test('needs an approval even if a repair job creates the commission', async () => {
      await claim(world.clickId, 'u1');
      await setPolicies(1);
      expect((await sellByKey()).status).toBe(500);
      await setPolicies(null);
      await runRepairs();
      expect(await commission()).toMatchObject({ needs_approval: true, status: 'pending' });
    });

    test.each(['without a policy', 'without a ledger'])(
      'needs no approval if the key is confirmed before a repair job creates the commission, %s',
      async (fault) => {
        const rename = (from: string, to: string) =>
          world.engine.write(1, (tx) => tx.db.schema.alterTable(from).renameTo(to).execute());
        const setFault = (isBroken: boolean) => {
          if (fault === 'without a policy') return setPolicies(isBroken ? 1 : null);
          return isBroken ? rename('ledger_entries', 'gone') : rename('gone', 'ledger_entries');
        };
        await claim(world.clickId, 'u1');
        await setFault(true);
        expect((await sellByKey()).status).toBe(500);
        await setFault(false);
        await world.track('lead', { click_id: world.clickId, customer_key: 'u1' });
        await runRepairs();
        expect(await commission()).toMatchObject({ needs_approval: false, status: 'approved' });
        expect(await payable()).toBe(200);
        const notes = summarizeSteps(await tracer.steps('transaction_id=t1')).filter((step) =>
          step.startsWith('note customer_key'),
        );
        expect(notes).toEqual(
          fault === 'without a policy'
            ? []
            : ['note customer_key_only_claimed', 'note customer_key_confirmed'],
        );
      },
    );
  });
}
