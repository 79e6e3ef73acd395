import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { charge, event, invoice, paymentSession, subscriptionSession } from '../support/stripe-events.ts';
import { findStep, summarizeSteps, TraceClient } from '../support/trace-client.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';

const DAY_MS = 86_400_000;

export function webhookTraceContract(kind: string, open: OpenEngine): void {
  describe(`the trace of webhooks on ${kind}`, () => {
    let world: WebhookWorld;
    let tracer: TraceClient;
    let click: string;
    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
      tracer = await TraceClient.of(world);
      const customer = world.engine.read.selectFrom('customers').select('click_id');
      click = (await customer.executeTakeFirstOrThrow()).click_id;
    });
    afterEach(() => world.affkit.close());
    const completed = (name: string) =>
      world.outcome(event('checkout.session.completed', paymentSession(name, world.metadata)));

    test('shows a sale and its refund with the events that caused them', async () => {
      await completed('a');
      world.clock.now += 1;
      await world.outcome(event('charge.refunded', charge('acacia', 'a', 1999)));
      const steps = await tracer.steps('transaction_id=pi_a');
      expect(summarizeSteps(steps)).toEqual([
        'click click_recorded',
        'lead lead_from_server',
        'webhook webhook_sale_recorded',
        'sale sale_recorded',
        'commission policy_applied',
        'approval hold_passed',
        'ledger commission',
        'webhook webhook_refunded',
        'refund full_refund',
        'ledger deduction',
      ]);
      expect(findStep(steps, 'webhook_sale_recorded')).toMatchObject({
        why: 'The payment processor reported a payment, which was recorded as a sale.',
        detail: { type: 'checkout.session.completed', outcome: 'sale_recorded', outcome_reason: null },
      });
    });

    test('explains, for the id of a payment, why the payment was not applied', async () => {
      const path = `/partners/${world.anna.partnerId}`;
      await tracer.manage('PUT', path, { status: 'banned' });
      expect(await completed('b')).toBe('ignored: no_partner_program');
      const steps = await tracer.steps('transaction_id=pi_b');
      expect(steps).toEqual(await tracer.steps(`click_id=${click}`));
      expect(summarizeSteps(steps)).toContain('missing no_sale_reported');
      expect(findStep(steps, 'webhook_ignored').why).toBe(
        'The payment processor sent an event that was not applied. The partner was not approved in the program at that time.',
      );
    });

    test('explains why a renewal earns nothing if an event linked the first payment to the subscription', async () => {
      await tracer.manage('PUT', '/commission-policies/1', { recurring_months: 1 });
      await world.sell({ transaction_id: 'order-1', processor_refs: ['in_a'] });
      await world.outcome(event('checkout.session.completed', subscriptionSession('a', world.metadata)));
      await tracer.pass(70 * DAY_MS);
      const created = Math.floor(world.clock.now / 1000);
      const renewal = event('invoice.paid', invoice('current', 'b', 'a', world.metadata), { created });
      expect(await world.outcome(renewal)).toBe('sale_recorded: recurring_ended');
      expect(findStep(await tracer.steps('transaction_id=in_b'), 'recurring_ended')).toMatchObject({
        why: 'This payment renews a subscription that earns commissions for 1 month after its first commission. This period is over.',
        detail: { first_commission_id: 1, recurring_months: 1, earns_through: '2026-07-15' },
      });
    });

    test('shows a partner the outcome, but no ids of the payment', async () => {
      await completed('a');
      const anna = await tracer.signInAs(world.anna.partnerId);
      const reply = await tracer.ask(`click_id=${click}`, anna);
      expect(reply.status).toBe(200);
      expect(JSON.stringify(reply.body)).not.toMatch(/pi_a|evt_|cs_|user-1/);
      const steps = await tracer.steps(`click_id=${click}`, anna);
      expect(findStep(steps, 'webhook_sale_recorded').detail).toEqual({
        outcome: 'sale_recorded',
        outcome_reason: null,
        event_date: expect.any(String),
      });
    });
  });
}
