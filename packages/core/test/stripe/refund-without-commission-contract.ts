import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/calendar.ts';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { event, invoice, invoicePayment, refund as stripeRefund } from '../support/stripe-events.ts';
import { findStep, summarizeSteps, TraceClient } from '../support/trace-client.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';

export function refundWithoutCommissionContract(kind: string, open: OpenEngine): void {
  describe(`a refund of a sale without a commission on ${kind}`, () => {
    let world: WebhookWorld;
    let startedAt: string;

    beforeAll(async () => {
      world = await makeWebhookWorld(await open());
      startedAt = new Date(world.clock.now).toISOString();
      await renew('first');
      world.clock.now += 70 * DAY_MS;
    });
    afterAll(async () => {
      await world.affkit.jobs.runOnce();
      expect(await verifyLedger(world.affkit.runtime, world.program.id)).toMatchObject({ fault: null });
      await auditAndClose(world);
    });

    const now = () => ({ created: Math.floor(world.clock.now / 1000) });
    /** Reports a renewal, which earns a commission regardless of the attribution window. */
    const renew = (name: string) =>
      world.outcome(event('invoice.paid', invoice('current', name, 'plan', world.metadata), now()));
    const connectIds = (name: string) =>
      world.outcome(event('invoice_payment.paid', invoicePayment(name), now()));
    const refund = async (name: string, refund_id?: string, refund_amount_cents?: number) =>
      (await world.track('refund', { transaction_id: name, refund_id, refund_amount_cents })).body;
    const find = async (id: string) => (await world.commissions()).find((row) => row.id === id);

    test('is kept, shown in the trace, and deducted when another sale of the payment earns a commission', async () => {
      expect((await world.sell({ transaction_id: 'pi_a' })).body).toMatchObject({ reason: 'window_expired' });
      const none = { success: true, status: 'no_commission' };
      expect(await refund('pi_a', 'r-1', 500)).toMatchObject(none);
      expect(await refund('pi_a', 'r-1', 500)).toMatchObject(none);
      expect(await refund('pi_a', undefined, 100)).toMatchObject(none);
      expect(await refund('pi_a', 'r-2', 250)).toMatchObject(none);
      const trace = await TraceClient.of(world);
      const steps = await trace.steps('transaction_id=pi_a');
      const kept = summarizeSteps(steps).filter((step) => step === 'refund refund_without_commission');
      expect(kept).toHaveLength(2);
      expect(findStep(steps, 'refund_without_commission').detail).toMatchObject({
        refund_id: 'r-1',
        refund_amount_cents: 500,
        sale_amount_cents: 1999,
      });
      expect(await renew('a')).toBe('sale_recorded');
      expect(await connectIds('a')).toBe('tied');
      expect(await find('in_a')).toMatchObject({ status: 'refunded', deducted_cents: 150 });
      const later = summarizeSteps(await trace.steps('transaction_id=pi_a'));
      expect(later).not.toContain('refund refund_without_commission');
      expect(later.filter((step) => step === 'refund partial_refund')).toHaveLength(2);
      expect(await refund('pi_a', 'r-1', 500)).toMatchObject({ status: 'refunded', deductionAmount: 1 });
      expect(await refund('in_a', 'r-3')).toMatchObject({ status: 'reversed', deductionAmount: 2.5 });
    });

    test('deducts the whole commission if the refund exceeds the sale; repeats without an id count once', async () => {
      await world.sell({ transaction_id: 'pi_b' });
      expect(await refund('pi_b', undefined, 5000)).toMatchObject({ status: 'no_commission' });
      expect(await refund('pi_b')).toMatchObject({ status: 'no_commission' });
      await renew('b');
      await connectIds('b');
      expect(await find('in_b')).toMatchObject({ status: 'reversed', deducted_cents: 400 });
    });

    test('stays with the payment while none of its sales earns a commission', async () => {
      await world.sell({ transaction_id: 'pi_c' });
      await refund('pi_c', 'r-1', 500);
      await world.sell({ transaction_id: 'in_c' });
      await refund('in_c', 'r-1', 500);
      await refund('in_c', 'r-2', 250);
      await connectIds('c');
      const kept = await world.engine.read
        .selectFrom('kept_refunds')
        .select(['sale_id', 'refund_id'])
        .execute();
      expect(kept.map(({ refund_id }) => refund_id).sort()).toEqual(['r-1', 'r-2']);
      expect(new Set(kept.map(({ sale_id }) => sale_id)).size).toBe(1);
    });

    test.each([
      { name: 'e1', hasId: true, cents: undefined },
      { name: 'e2', hasId: true, cents: 1999 },
      { name: 'e3', hasId: false, cents: undefined },
      { name: 'e4', hasId: false, cents: 1999 },
    ])('if it failed, deducts nothing from a later commission: %o', async ({ name, hasId, cents }) => {
      const late = invoice('current', name, `plan-${name}`, world.metadata);
      expect(await world.outcome(event('invoice.paid', late, now()))).toBe('sale_recorded: window_expired');
      await connectIds(name);
      await world.outcome(event('refund.created', stripeRefund(name, name, 1999)));
      const reported = await refund(`in_${name}`, hasId ? `re_${name}` : undefined, cents);
      expect(reported).toMatchObject({ status: 'no_commission' });
      await world.outcome(event('refund.failed', stripeRefund(name, name, 1999, { status: 'failed' })));
      await world.sell({
        transaction_id: `first-${name}`,
        subscription_id: `sub_plan-${name}`,
        occurred_at: startedAt,
      });
      expect(await find(`in_${name}`)).toMatchObject({ status: 'approved', deducted_cents: 0 });
    });

    test.each([
      { name: 'z1', currency: 'usd', refunded: 20 },
      { name: 'z2', currency: 'eur', refunded: 0 },
    ])(
      'moves from a sale of 0 to the other sale of the payment: %o',
      async ({ name, currency, refunded }) => {
        const amounts = { amount_due: 0, amount_paid: 0, total: 0, currency };
        await world.outcome(
          event('invoice.paid', invoice('current', name, 'plan', world.metadata, amounts), now()),
        );
        expect(await refund(`in_${name}`, 'r-1', 100)).toMatchObject({ status: 'no_commission' });
        await world.sell({ transaction_id: `pi_${name}`, subscription_id: 'sub_plan' });
        expect(await connectIds(name)).toBe('tied');
        expect(await find(`pi_${name}`)).toMatchObject({ deducted_cents: refunded });
      },
    );

    test('is kept if the commission was rejected, and deducted when another sale of the payment earns a commission', async () => {
      await renew('d');
      const { id } = await world.engine.read
        .selectFrom('commissions')
        .select('id')
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow();
      const client = await TraceClient.of(world);
      expect(await client.manage('POST', `/commissions/${id}/reject`)).toMatchObject({ status: 200 });
      expect(await refund('in_d', 'r-1', 500)).toMatchObject({ status: 'skipped' });
      await world.sell({ transaction_id: 'pi_d', subscription_id: 'sub_plan' });
      await connectIds('d');
      expect(await find('pi_d')).toMatchObject({ status: 'refunded', deducted_cents: 100 });
    });
  });
}
