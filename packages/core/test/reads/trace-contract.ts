import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { findStep, summarizeSteps, TraceClient } from '../support/trace-client.ts';
import { addProgram, makeWorld, START, type World } from '../support/world.ts';

const DAY = 86_400_000;

export function traceContract(kind: string, open: OpenEngine): void {
  describe(`the trace on ${kind}`, () => {
    let world: World;
    let tracer: TraceClient;
    beforeEach(async () => {
      world = await makeWorld(await open());
      tracer = await TraceClient.of(world);
    });
    afterEach(() => world.affkit.close());

    test('says whether the rest of a sale was refunded, and whether a sale is older than the click', async () => {
      const click = await world.click('anna');
      world.clock.now += 1000;
      await tracer.sell('t1', { amount_cents: 5000, click_id: click, customer_key: 'u1' });
      for (const [refund_id, refund_amount_cents] of [
        ['r1', 1000],
        ['r2', 4000],
      ]) {
        world.clock.now += 1000;
        await world.track('refund', { transaction_id: 't1', refund_id, refund_amount_cents });
      }
      const occurred_at = new Date(world.clock.now - 30 * 86_400_000).toISOString();
      await tracer.sell('t2', { amount_cents: 5000, customer_key: 'u1', occurred_at });
      const steps = await tracer.steps('customer_key=u1');
      expect(steps.filter(({ step }) => step === 'refund').map(({ why }) => why)).toEqual([
        'Part of the sale was refunded, so the same share of the commission was deducted: 2.00 USD.',
        'The rest of the sale was refunded, so the rest of the commission was deducted: 8.00 USD.',
      ]);
      const [first, second] = steps.filter(({ step }) => step === 'commission');
      expect(first?.why).toMatch(/^The sale was made 0 days after the last click/);
      expect(second?.why).toMatch(/^The sale is dated before the last click on this partner’s link,/);
      expect(second?.detail).toMatchObject({ days_since_click: null });
    });

    test('lists all steps of a customer by time, for each kind of id', async () => {
      const click = await world.click('anna', { page_url: 'https://shop.example/' });
      await world.call('POST', '/api/v1/track/lead', { click_id: click, customer_key: 'u1' });
      await tracer.sell('t1', {
        amount_cents: 1999,
        click_id: click,
        customer_key: 'u1',
        processor_refs: ['pi_1'],
      });
      world.clock.now += 1000;
      await world.track('refund', { transaction_id: 't1', refund_amount_cents: 999 });
      const queries = ['transaction_id=t1', 'transaction_id=pi_1', `click_id=${click}`, 'customer_key=u1'];
      const replies = await Promise.all(queries.map((query) => tracer.ask(query)));
      const [first] = replies;
      expect(replies.map((reply) => reply.body)).toEqual(Array(4).fill(first?.body));
      const steps = await tracer.steps('transaction_id=t1');
      expect(summarizeSteps(steps)).toEqual([
        'click click_recorded',
        'lead lead_from_browser',
        'sale sale_recorded',
        'commission policy_applied',
        'approval hold_passed',
        'ledger commission',
        'refund partial_refund',
        'ledger deduction',
      ]);
      expect(findStep(steps, 'policy_applied')).toEqual({
        at: new Date(START).toISOString(),
        step: 'commission',
        reason: 'policy_applied',
        why: 'The sale was made 0 days after the last click on this partner’s link, within the attribution window. The program’s default policy (20%) applied, because it is the only policy that matches the sale. The commission is 4.00 USD.',
        detail: {
          id: expect.any(Number),
          sale_id: expect.any(Number),
          policy_version_id: expect.any(Number),
          amount_cents: 400,
          base_cents: 1999,
          tax_cents: null,
          shipping_cents: null,
          parts: [],
          deducted_cents: 200,
          adjusted_cents: 0,
          currency: 'USD',
          amount: 4,
          status: 'refunded',
          releasable_at: new Date(START).toISOString(),
          repaired: false,
          days_since_click: 0,
          window_days: 60,
          candidates: [
            {
              policy_id: expect.any(Number),
              version: 1,
              policy_version_id: expect.any(Number),
              product_id: null,
              partner_id: null,
              type: 'percent',
              rate_bps: 2000,
              amount_cents: null,
              recurring_months: null,
              verdict: 'chosen',
            },
          ],
        },
      });
    });

    test('requires exactly one id, and returns 404 for an unknown one', async () => {
      const click = await world.click('anna');
      await tracer.sell('t1', { click_id: click });
      const sentence = 'Give one of transaction_id, click_id, customer_key, commission_id';
      for (const query of ['', 'click_id=', `click_id=${click}&transaction_id=t1`, 'click_id=a&click_id=b']) {
        expect(await tracer.ask(query)).toMatchObject({ status: 400, body: { error: sentence } });
      }
      const otherProgram = await addProgram(world, world.workspaceId, 'cora');
      const elsewhere = await world.click('cora');
      await world.call(
        'POST',
        '/api/v1/track/sale',
        { transaction_id: 't2', amount_cents: 1, click_id: elsewhere },
        { authorization: otherProgram.authorization },
      );
      for (const query of [
        'transaction_id=t2',
        'transaction_id=x',
        `click_id=${elsewhere}`,
        'customer_key=x',
      ]) {
        expect(await tracer.ask(query)).toMatchObject({
          status: 404,
          body: { error: 'Not found', code: 'not_found' },
        });
      }
    });

    test('says what is missing for a click without a sale', async () => {
      const click = await world.click('anna');
      await world.track('lead', { click_id: click, customer_key: 'u1' });
      const steps = await tracer.steps('customer_key=u1');
      expect(summarizeSteps(steps)).toEqual([
        'click click_recorded',
        'lead lead_from_server',
        'missing no_sale_reported',
      ]);
      expect(steps.at(-1)).toMatchObject({
        why: 'No sale was recorded for this customer. The trace does not contain rejected requests.',
        detail: { has_lead: true },
      });
    });

    test('explains an expired window with the number of days since the last click', async () => {
      const click = await world.click('anna');
      await tracer.pass(60 * DAY + 1);
      await tracer.sell('t0', { click_id: click });
      // If the time were rounded down to 60 days, the sale would seem to be within the window.
      expect(findStep(await tracer.steps('transaction_id=t0'), 'window_expired')).toMatchObject({
        why: expect.stringContaining('60.01 days after the last click'),
        detail: { days_since_click: 60.01 },
      });
      await tracer.pass(15 * DAY - 1);
      await tracer.sell('t1', { click_id: click });
      const steps = await tracer.steps('transaction_id=t1');
      expect(steps.findLast(({ reason }) => reason === 'window_expired')).toMatchObject({
        step: 'no_commission',
        why: 'The sale was made 75 days after the last click on a link of the customer’s partner. The attribution window was 60 days, so the sale earns no commission.',
        detail: { days_since_click: 75, window_days: 60, last_click_at: new Date(START).toISOString() },
      });
    });

    test('uses the window that applied to the sale, even if the program has another one now', async () => {
      const click = await world.click('anna');
      await tracer.pass(10 * DAY);
      await tracer.sell('earned', { click_id: click });
      await tracer.pass(60 * DAY);
      await tracer.sell('late', { click_id: click });
      for (const cookie_window_days of [5, 90]) {
        await tracer.manage('PUT', '', { cookie_window_days });
        const steps = await tracer.steps(`click_id=${click}`);
        expect(findStep(steps, 'policy_applied').detail).toMatchObject({
          days_since_click: 10,
          window_days: 60,
        });
        expect(findStep(steps, 'window_expired').detail).toMatchObject({
          days_since_click: 70,
          window_days: 60,
        });
      }
    });

    test('lists the chosen policy and the other policies that were active at the time', async () => {
      const policy = (fields: object) =>
        tracer.manage('POST', '/commission-policies', { type: 'percent', rate: 30, ...fields });
      await policy({ product_id: 'pro' });
      await policy({ partner_id: world.anna.partnerId });
      await policy({ partner_id: world.ben.partnerId });
      const deletedPolicy = await policy({ product_id: 'basic' });
      world.clock.now += 1;
      const { id } = deletedPolicy.body['data'] as { id: number };
      await tracer.manage('DELETE', `/commission-policies/${id}`);
      world.clock.now += 1;
      await tracer.sell('t1', { click_id: await world.click('anna'), product_id: 'pro' });
      world.clock.now += 1;
      await policy({ product_id: 'pro', partner_id: world.anna.partnerId });
      const { why, detail } = findStep(await tracer.steps('transaction_id=t1'), 'policy_applied');
      expect(why).toContain(
        'The policy for this product (30%) applied, because it is more specific than the 2 other policies that match the sale.',
      );
      const candidates = detail['candidates'] as { verdict: string }[];
      expect(candidates.map(({ verdict }) => verdict)).toEqual([
        'less_specific',
        'chosen',
        'less_specific',
        'other_partner',
      ]);
    });

    test('explains renewals within and after the recurring months', async () => {
      await tracer.manage('POST', '/commission-policies', {
        type: 'percent',
        rate: 10,
        product_id: 'plan',
        recurring_months: 2,
      });
      const click = await world.click('anna');
      const renew = (id: string) =>
        tracer.sell(id, { click_id: click, product_id: 'plan', subscription_id: 's1' });
      await renew('t1');
      await tracer.pass(61 * DAY);
      await renew('t2');
      await tracer.pass(DAY);
      await renew('t3');
      const steps = await tracer.steps('transaction_id=t1');
      expect(findStep(steps, 'renewal_of_subscription')).toMatchObject({
        why: 'This payment renews a subscription that has already earned a commission. Renewals do not depend on the attribution window. They earn on the same terms as the subscription’s first commission, for 2 months after it. The commission is 1.00 USD.',
        detail: { recurring_months: 2, earns_through: '2026-08-15' },
      });
      expect(findStep(steps, 'recurring_ended')).toMatchObject({
        why: 'This payment renews a subscription that earns commissions for 2 months after its first commission. This period is over.',
        detail: { recurring_months: 2, earns_through: '2026-08-15' },
      });
    });

    test('explains the end of a renewal with the terms of its own products', async () => {
      await tracer.manage('PUT', '/commission-policies/1', { recurring_months: 12 });
      for (const [product_id, recurring_months] of [
        ['setup', 0],
        ['trial', 1],
      ] as const) {
        const terms = { type: 'percent', rate: 50, product_id, recurring_months };
        await tracer.manage('POST', '/commission-policies', terms);
      }
      const click = await world.click('anna');
      const line = (product_id: string, amount_cents: number) => ({ product_id, amount_cents });
      const pay = (id: string, products: object) =>
        tracer.sell(id, { click_id: click, subscription_id: 's1', ...products });
      await pay('t1', { line_items: [line('setup', 300), line('trial', 200), line('plan', 500)] });
      await tracer.pass(40 * DAY);
      await pay('t2', { product_id: 'setup' });
      await pay('t3', { line_items: [line('setup', 900), line('trial', 100)] });
      const ended = (await tracer.steps('transaction_id=t1')).filter(
        (one) => one.reason === 'recurring_ended',
      );
      expect(ended).toMatchObject([
        {
          why: 'This payment renews a subscription that earns a commission only for its first payment.',
          detail: { policy_version_id: 3, recurring_months: 0, earns_through: null },
        },
        {
          why: 'This payment renews a subscription that earns commissions for 1 month after its first commission. This period is over.',
          detail: { policy_version_id: 4, recurring_months: 1, earns_through: '2026-07-15' },
        },
      ]);
    });

    test('explains a renewal after the recurring months, even if the first commission is rejected later', async () => {
      await tracer.manage('PUT', '/commission-policies/1', { recurring_months: 1 });
      const click = await world.click('anna');
      await tracer.sell('t1', { click_id: click, subscription_id: 's1' });
      await tracer.pass(40 * DAY);
      await tracer.sell('t2', { click_id: click, subscription_id: 's1' });
      world.clock.now += 1;
      expect(await tracer.manage('POST', '/commissions/1/reject')).toMatchObject({ status: 200 });
      expect(findStep(await tracer.steps('transaction_id=t2'), 'recurring_ended').detail).toMatchObject({
        first_commission_id: 1,
        recurring_months: 1,
      });
    });

    test('explains a renewal after the recurring months, even if it was reported before the first payment', async () => {
      await tracer.manage('PUT', '/commission-policies/1', { recurring_months: 1 });
      const click = await world.click('anna');
      await tracer.pass(70 * DAY);
      const pay = (id: string, daysAgo: number) => {
        const occurred_at = new Date(world.clock.now - daysAgo * DAY).toISOString();
        return tracer.sell(id, { click_id: click, subscription_id: 's1', occurred_at });
      };
      expect((await pay('t2', 0)).body).toMatchObject({ reason: 'window_expired' });
      world.clock.now += 1;
      await pay('t1', 69);
      expect(findStep(await tracer.steps('transaction_id=t2'), 'recurring_ended')).toMatchObject({
        why: 'This payment renews a subscription that earns commissions for 1 month after its first commission. This period is over.',
        detail: { first_commission_id: 1, recurring_months: 1, earns_through: '2026-07-16' },
      });
    });

    test('shows in the traces of both customers that a claimed key was moved from one to the other', async () => {
      const claimed = await world.click('ben');
      await world.call('POST', '/api/v1/track/lead', { click_id: claimed, customer_key: 'u1' });
      const click = await world.click('anna');
      await tracer.sell('t1', { click_id: click, customer_key: 'u1' });
      expect(findStep(await tracer.steps('customer_key=u1'), 'customer_key_claim_displaced').why).toMatch(
        /^A browser had claimed this customer_key for another click\./,
      );
      const steps = await tracer.steps(`click_id=${claimed}`);
      expect(summarizeSteps(steps)).toEqual([
        'click click_recorded',
        'lead lead_from_browser',
        'note customer_key_claim_displaced_elsewhere',
        'missing no_sale_reported',
      ]);
    });

    test('shows in the traces of both customers that a verified key took precedence over a click', async () => {
      const winning = await world.click('anna');
      await world.track('lead', { click_id: winning, customer_key: 'u1' });
      const losing = await world.click('ben');
      await tracer.sell('t1', { click_id: losing, customer_key: 'u1' });
      findStep(await tracer.steps('transaction_id=t1'), 'customer_key_wins_over_click_id');
      findStep(await tracer.steps(`click_id=${losing}`), 'customer_key_wins_over_click_id_elsewhere');
    });

    test('is paged, oldest steps first', async () => {
      const click = await world.click('anna');
      for (let visit = 1; visit < 105; visit++) {
        world.clock.now += 1;
        await world.click('anna', { existing_click_id: click });
      }
      const read = async (query: string) => {
        const { body } = await tracer.ask(`click_id=${click}${query}`);
        const { steps } = body['data'] as { steps: { at: string }[] };
        return { steps, meta: body['meta'] };
      };
      const first = await read('');
      const second = await read('&page=2');
      const total = 106;
      expect([first.steps.length, second.steps.length]).toEqual([100, total - 100]);
      expect(first.meta).toEqual({ pagination: { page: 1, pageSize: 100, pageCount: 2, total } });
      const times = [...first.steps, ...second.steps].map(({ at }) => at);
      expect(times).toEqual(times.toSorted());
      expect((await read('&page=3&pageSize=50')).steps).toEqual(second.steps);
      expect((await tracer.ask(`click_id=${click}&page=0`)).status).toBe(400);
    });
  });
}
