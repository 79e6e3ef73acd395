import { WEBHOOK_EVENT_TYPES, webhookEvent } from '@affkit/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEndpoint } from '../../src/management/webhook-endpoints.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { DAY, type PayoutWorld, payoutWorldOn } from '../support/payout-world.ts';
import { openReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { addProgram, makeWorld, unwrap } from '../support/world.ts';

/** Tests that every change is reported to the endpoints of its program, and that nothing else is reported. */
export function webhookEventContract(kind: string, open: OpenEngine): void {
  describe(`webhook events on ${kind}`, () => {
    let world: PayoutWorld;
    let receiver: WebhookReceiver;

    beforeAll(async () => {
      receiver = await openReceiver();
      const options = { webhookAllowHosts: [receiver.host] };
      world = await payoutWorldOn(await makeWorld(await open(), { hold_days: 7 }, options));
      const input = { url: receiver.url, event_types: [...WEBHOOK_EVENT_TYPES] };
      const { secret } = unwrap(await createEndpoint(world.affkit.runtime, world.program, input));
      receiver.secrets.push(secret);
    });
    afterAll(async () => {
      await world.affkit.close();
      await receiver.close();
    });

    /** Runs `work` and the jobs, and returns the events that were delivered. */
    async function eventsOf(work: () => Promise<unknown>) {
      const before = receiver.received.length;
      await work();
      await world.affkit.jobs.runOnce();
      const events = receiver.received.slice(before).map(({ event }) => webhookEvent.parse(event));
      return events.sort((a, b) => a.sequence - b.sequence);
    }

    const typesOf = (events: Awaited<ReturnType<typeof eventsOf>>) => events.map(({ type }) => type);

    it('reports a lead once, with its customer key', async () => {
      const click_id = await world.click('anna');
      const lead = { click_id, customer_key: 'user-1' };
      const events = await eventsOf(async () => {
        await world.track('lead', lead);
        await world.track('lead', lead);
      });
      expect(events).toMatchObject([
        {
          type: 'lead.created',
          timestamp: new Date(world.clock.now).toISOString(),
          data: { customer_key: 'user-1', click_id, partner_id: world.anna.partnerId, source: 'server' },
        },
      ]);
    });

    it('reports a sale before its commission, and a repeated sale once', async () => {
      const events = await eventsOf(async () => {
        await world.sell('order-1', 10_000);
        await world.track('sale', {
          transaction_id: 'order-1',
          amount_cents: 10_000,
          customer_key: 'user-1',
        });
      });
      expect(events).toMatchObject([
        { type: 'sale.created', data: { transaction_id: 'order-1', amount_cents: 10_000, currency: 'USD' } },
        { type: 'commission.created', data: { status: 'pending', amount_cents: 2_000 } },
      ]);
    });

    it('reports the approval and the rejection of a commission once', async () => {
      const [approved, rejected] = [await world.sell('order-2', 1_000), await world.sell('order-3', 1_000)];
      await world.affkit.jobs.runOnce();
      const events = await eventsOf(async () => {
        for (let repeat = 0; repeat < 2; repeat++) {
          await world.ask('POST', `/commissions/${approved}/approve`);
          await world.ask('POST', `/commissions/${rejected}/reject`);
        }
      });
      expect(events).toMatchObject([
        { type: 'commission.approved', data: { commission_id: approved, status: 'approved' } },
        { type: 'commission.rejected', data: { commission_id: rejected, status: 'rejected' } },
      ]);
    });

    it('reports refunds, and the reversal of the commission after the last refund', async () => {
      const commission_id = await world.sell('order-4', 1_000);
      await world.affkit.jobs.runOnce();
      const refund = (refund_id: string, refund_amount_cents: number) =>
        world.track('refund', { transaction_id: 'order-4', refund_id, refund_amount_cents });
      const events = await eventsOf(async () => {
        await refund('r1', 400);
        await refund('r1', 400);
        await refund('r2', 600);
      });
      expect(events).toMatchObject([
        {
          type: 'refund.created',
          data: { refund_id: 'r1', amount_cents: 400, deduction_cents: 80, commission_id },
        },
        { type: 'refund.created', data: { refund_id: 'r2', amount_cents: 600, deduction_cents: 120 } },
        { type: 'commission.reversed', data: { commission_id, status: 'reversed', deducted_cents: 200 } },
      ]);
    });

    it('reports the end of a hold', async () => {
      const commission_id = await world.sell('order-5', 1_000);
      await world.affkit.jobs.runOnce();
      const events = await eventsOf(async () => {
        world.clock.now += 8 * DAY;
      });
      expect(events.filter(({ type }) => type === 'commission.approved')).toMatchObject([
        { data: { status: 'approved' } },
        { data: { commission_id, status: 'approved' } },
      ]);
    });

    it('reports payouts, and the approval of a pending commission that a payout pays', async () => {
      const commission_id = await world.sell('order-6', 5_000);
      await world.affkit.jobs.runOnce();
      const cancelled = await eventsOf(async () => {
        const [payout] = await world.payOut();
        await world.end(payout?.id ?? 0, 'cancel');
        await world.end(payout?.id ?? 0, 'cancel');
      });
      expect(typesOf(cancelled)).toEqual(['payout.created', 'payout.cancelled']);
      world.clock.now += 8 * DAY;
      // The hold has ended, but the job has not run.
      const paid = await eventsOf(async () => {
        const [payout] = await world.payOut();
        await world.end(payout?.id ?? 0, 'mark-paid', { reference: 'TR-1' });
      });
      expect(paid).toMatchObject([
        { type: 'payout.created', data: { status: 'pending' } },
        { type: 'commission.approved', data: { commission_id, status: 'paid' } },
        {
          type: 'payout.paid',
          data: { status: 'paid', reference: 'TR-1', partner_id: world.anna.partnerId },
        },
      ]);
    });

    it('reports applications, rejections and approvals of partners', async () => {
      const slug = world.program.slug;
      const events = await eventsOf(async () => {
        await world.ask('PUT', '/page', { published: true });
        const page = await world.call('GET', `/api/v1/programs/${slug}`);
        const { form_token } = page.body['data'] as { form_token: string };
        // The form rejects applications that are sent immediately, because only bots are that fast.
        world.clock.now += 60_000;
        const applicant = { name: 'Carla', email: 'carla@partner.example', form_token };
        await world.call('POST', `/api/v1/programs/${slug}/applications`, applicant);
        const { body } = await world.ask('GET', '/partners?status=pending');
        const [carla] = body['data'] as { id: number }[];
        await world.ask('PUT', `/partners/${carla?.id}`, { status: 'rejected', status_reason: 'no' });
        await world.ask('PUT', `/partners/${carla?.id}`, { status: 'approved' });
        await world.ask('POST', '/partners', { name: 'Dora', email: 'dora@partner.example' });
      });
      expect(events).toMatchObject([
        { type: 'partner.applied', data: { email: 'carla@partner.example' } },
        { type: 'partner.rejected', data: { name: 'Carla', reason: 'no' } },
        { type: 'partner.approved', data: { name: 'Carla' } },
        { type: 'partner.approved', data: { name: 'Dora' } },
      ]);
    });

    it('reports the first integration error of a day, but no calls for unknown customers', async () => {
      const events = await eventsOf(async () => {
        for (let repeat = 0; repeat < 2; repeat++) {
          await world.track('sale', { amount_cents: 1 });
          await world.track('sale', { transaction_id: 'unknown-1', amount_cents: 1, customer_key: 'nobody' });
        }
        // Rejected calls are queued at first. The service stores the queued calls before it returns the list.
        await world.ask('GET', '/refusals');
      });
      expect(events).toMatchObject([
        { type: 'integration.failing', data: { route: 'sale', code: 'transaction_id_required' } },
      ]);
    });

    it('sends an endpoint only the types to which it subscribes, and only events of its program', async () => {
      const other = await addProgram(world, world.workspaceId, 'other-partner');
      const only = await createEndpoint(world.affkit.runtime, world.program, {
        url: `${receiver.url}/sales`,
        event_types: ['sale.created'],
      });
      receiver.secrets.push(unwrap(only).secret);
      const before = receiver.received.length;
      await world.sell('order-7', 1_000);
      const click = await world.call('POST', '/api/v1/track/click', {
        affiliate_url: 'https://other.example/?aff=other-partner',
      });
      await world.call(
        'POST',
        '/api/v1/track/sale',
        { transaction_id: 'order-8', amount_cents: 100, click_id: click.body['click_id'] },
        { authorization: other.authorization },
      );
      await world.affkit.jobs.runOnce();
      const received = receiver.received.slice(before).map(({ path, event }) => `${path} ${event.type}`);
      expect(received.sort()).toEqual([
        '/hook commission.created',
        '/hook sale.created',
        '/hook/sales sale.created',
      ]);
    });

    it('stores no event of a change that is rolled back', async () => {
      const { engine } = world;
      const count = async () =>
        (await engine.read.selectFrom('webhook_events').select('id').execute()).length;
      const before = await count();
      const click_id = await world.click('anna');
      const sales = Array.from({ length: 20 }, () =>
        world.track('sale', { transaction_id: 'order-9', amount_cents: 1_000, click_id }),
      );
      const statuses = (await Promise.all(sales)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(await count()).toBe(before + 2);
    });

    it('numbers concurrent events of a program without a duplicate', async () => {
      await world.affkit.jobs.runOnce();
      const clicks = await Promise.all(Array.from({ length: 30 }, () => world.click('ben')));
      const events = await eventsOf(() =>
        Promise.all(
          clicks.map((click_id, index) =>
            world.track('sale', { transaction_id: `many-${index}`, amount_cents: 100, click_id }),
          ),
        ),
      );
      const sales = events.filter(({ type }) => type === 'sale.created');
      // Each of the 30 sales has its own sequence number. Both endpoints get each event.
      expect(new Set(sales.map(({ sequence }) => sequence)).size).toBe(30);
      expect(sales).toHaveLength(60);
    });
  });
}
