import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { DAY } from '../support/payout-world.ts';
import { findStep, TraceClient } from '../support/trace-client.ts';
import { makeWorld, type Reply, type World } from '../support/world.ts';

const LINES = {
  data: [
    { product_id: 'pro', amount_cents: 700, tax_cents: 100 },
    { product_id: 'basic', amount_cents: 299 },
    { product_id: null, amount_cents: 100 },
  ],
};

export function policySimulationContract(kind: string, open: OpenEngine): void {
  describe(`the policy simulator on ${kind}`, () => {
    let world: World;
    let tracer: TraceClient;
    let sales = 0;
    beforeEach(async () => {
      world = await makeWorld(await open(), { min_sale_cents: 100, commission_base: 'net' });
      tracer = await TraceClient.of(world);
    });
    afterEach(() => world.affkit.close());
    const simulate = async (body: object) => {
      const reply = await tracer.manage('POST', '/commission-policies/simulate', body);
      if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
      return reply.body['data'] as Record<string, unknown>;
    };
    const addPolicy = (fields: object): Promise<Reply> =>
      tracer.manage('POST', '/commission-policies', { type: 'percent', rate: 30, ...fields });

    /**
     * Records a real sale the given number of days after a click.
     * @returns the decision, as the trace shows it
     */
    async function sell(days: number, sale: Record<string, unknown>) {
      const click_id = await world.click('anna');
      const renewal = sale['is_recurring'] === true ? { subscription_id: `s${sales}` } : {};
      if (sale['is_recurring'] === true) {
        await tracer.sell(`first${sales}`, { click_id, ...sale, ...renewal });
      }
      await tracer.pass(days * DAY);
      const id = `t${sales++}`;
      await tracer.sell(id, { click_id, ...sale, ...renewal });
      const steps = await tracer.steps(`transaction_id=${id}`);
      const step = steps.findLast((one) => one.step === 'commission' || one.step === 'no_commission');
      if (!step) throw new Error(`no decision: ${JSON.stringify(steps)}`);
      const { amount_cents, currency, base_cents, parts, candidates } = step.detail;
      const sold = steps.findLast((one) => one.step === 'sale')?.detail;
      return step.step === 'commission'
        ? { reason: step.reason, why: step.why, amount_cents, currency, base_cents, parts, candidates, sold }
        : { reason: step.reason, why: step.why, amount_cents: 0, sold };
    }

    test('computes what a real sale earns, with the reason and candidates of its trace', async () => {
      await addPolicy({ product_id: 'pro', recurring_months: 2 });
      await addPolicy({ partner_id: world.anna.partnerId, rate: 12.34 });
      await addPolicy({ partner_id: world.ben.partnerId });
      await addPolicy({ type: 'flat', rate: undefined, amount_cents: 55, product_id: 'basic' });
      const once = await addPolicy({ product_id: 'once', recurring_months: 0 });
      const cases: readonly (readonly [number, Record<string, unknown>])[] = [
        [0, { amount_cents: 1999 }],
        [3, { amount_cents: 1999, product_id: 'pro', tax_cents: 319, shipping_cents: 80 }],
        [60, { amount_cents: 1234, product_id: 'basic' }],
        [61, { amount_cents: 1234 }],
        [1, { amount_cents: 99 }],
        [1, { amount_cents: 1099, line_items: LINES, shipping_cents: 99 }],
        [1, { amount_cents: 1099, line_items: LINES, currency: 'JPY' }],
        [40, { amount_cents: 1234, product_id: 'pro', is_recurring: true }],
        [80, { amount_cents: 1234, product_id: 'pro', is_recurring: true }],
        [80, { amount_cents: 1099, line_items: LINES, is_recurring: true }],
        [80, { amount_cents: 500, product_id: 'once', is_recurring: true }],
      ];
      const reasons: unknown[] = [];
      for (const [days, sale] of cases) {
        const simulated = await simulate({
          ...sale,
          partner_id: world.anna.partnerId,
          days_since_click: days,
        });
        const { candidates, sold = {}, ...real } = await sell(days, sale);
        expect(simulated).toMatchObject(real);
        // The trace contains what the simulator needs to repeat the sale.
        const { tax_cents, shipping_cents, products, product_id, currency } = sold;
        const repeated = await simulate({
          amount_cents: sale['amount_cents'],
          is_recurring: sale['is_recurring'] === true,
          currency,
          ...(tax_cents !== null && { tax_cents }),
          ...(shipping_cents !== null && { shipping_cents }),
          ...(product_id !== null && { product_id }),
          line_items: products,
          partner_id: world.anna.partnerId,
          days_since_click: days,
        });
        expect(repeated).toEqual(simulated);
        expect(simulated['earns']).toBe(Number(real.amount_cents) > 0);
        if (candidates !== undefined) {
          const compared = (simulated['candidates'] as Record<string, unknown>[]).map(
            ({ is_draft, ...candidate }) => candidate,
          );
          expect(compared).toEqual(candidates);
        }
        reasons.push(real.reason);
      }
      expect(reasons).toEqual([
        'policy_applied',
        'policy_applied',
        'policy_applied',
        'window_expired',
        'below_min_sale',
        'policy_applied',
        'policy_applied',
        'renewal_of_subscription',
        'recurring_ended',
        'renewal_of_subscription',
        'recurring_ended',
      ]);
      expect(once.status).toBe(201);
    });

    test('says why each other policy was not chosen for a sale with line items', async () => {
      const { anna, ben } = world;
      await addPolicy({ product_id: 'pro' });
      await addPolicy({ product_id: 'pro', partner_id: anna.partnerId });
      await addPolicy({ product_id: 'pro', partner_id: ben.partnerId });
      await addPolicy({ product_id: 'basic', partner_id: ben.partnerId });
      await addPolicy({ product_id: 'other' });
      const sale = { amount_cents: 1000, line_items: [{ product_id: 'pro', amount_cents: 1000 }] };
      const { candidates, why } = await sell(0, sale);
      const verdicts = (candidates as { verdict: string }[]).map(({ verdict }) => verdict);
      expect(verdicts).toEqual([
        'less_specific',
        'less_specific',
        'chosen',
        'other_partner',
        'other_product',
        'other_product',
      ]);
      expect(why).toContain('more specific than the 2 other policies that match the sale');
      const asked = { ...sale, partner_id: anna.partnerId, days_since_click: 0 };
      const simulated = (await simulate(asked))['candidates'] as { verdict: string }[];
      expect(simulated.map(({ verdict }) => verdict)).toEqual(verdicts);
      // The policy of the largest part also pays for `basic`, because the policies pay in different currencies.
      await addPolicy({ type: 'flat', rate: undefined, amount_cents: 5, product_id: 'basic' });
      const mixed = { amount_cents: 1000, currency: 'JPY', line_items: LINES };
      const sold = await sell(0, mixed);
      expect(sold.why).toContain(
        'The policy for this product and partner (30%) applied to all products, because it covers the largest part of the sale. The policies of the products pay in different currencies, but a commission has only one currency.',
      );
      const simulatedMixed = { ...mixed, partner_id: anna.partnerId, days_since_click: 0 };
      expect((await simulate(simulatedMixed))['why']).toBe(sold.why);
      expect(sold.candidates).toMatchObject([
        { verdict: 'less_specific' },
        { verdict: 'less_specific' },
        { verdict: 'chosen' },
        { verdict: 'other_partner' },
        { verdict: 'other_partner' },
        { verdict: 'other_product' },
        { product_id: 'basic', verdict: 'other_product' },
      ]);
    });

    test('says that a policy applied to all products only if the currencies differ', async () => {
      const line_items = [
        { product_id: 'late', amount_cents: 100 },
        { product_id: 'other', amount_cents: 900 },
      ];
      const click_id = await world.click('anna');
      await tracer.sell('early', { click_id, amount_cents: 1000, line_items });
      // The policy is created after the sale, but in the same millisecond, so the trace lists it as active.
      await addPolicy({ type: 'flat', rate: undefined, amount_cents: 5, product_id: 'late' });
      const step = findStep(await tracer.steps('transaction_id=early'), 'policy_applied');
      expect(step.detail['candidates']).toHaveLength(2);
      expect(step.why).not.toContain('applied to all products');
    });

    test('marks the policy of each product as chosen for a renewal', async () => {
      await addPolicy({ product_id: 'pro', recurring_months: 0 });
      await addPolicy({ product_id: 'basic', recurring_months: 1 });
      const asked = { amount_cents: 1099, partner_id: world.anna.partnerId, is_recurring: true };
      const verdictsOf = async (days_since_click: number, line_items: object) => {
        const { reason, candidates } = await simulate({ ...asked, line_items, days_since_click });
        return [reason, ...(candidates as { verdict: string }[]).map(({ verdict }) => verdict)];
      };
      // `basic` still earns after 20 days, but `pro` does not. After 70 days, neither of them earns.
      const lines = LINES.data.slice(0, 2);
      const earning = ['renewal_of_subscription', 'less_specific', 'chosen', 'chosen'];
      expect(await verdictsOf(20, lines)).toEqual(earning);
      expect(await verdictsOf(70, lines)).toEqual(['recurring_ended', ...earning.slice(1)]);
      // `pro` is the larger part of the sale, but the period of `basic` ends last.
      expect(await simulate({ ...asked, line_items: lines, days_since_click: 70 })).toMatchObject({
        why: 'This payment renews a subscription that earns commissions for 1 month after its first commission. This period is over.',
        recurring_months: 1,
      });
    });

    test('considers an unsaved policy as if it were stored', async () => {
      const { anna } = world;
      const sale = { amount_cents: 1099, line_items: LINES };
      const asked = { ...sale, partner_id: anna.partnerId, days_since_click: 0 };
      await addPolicy({ product_id: 'basic' });
      const drafts = [
        { type: 'percent', rate: 7.5, product_id: 'pro' },
        { type: 'flat', amount_cents: 77, partner_id: anna.partnerId, product_id: null },
        { type: 'percent', rate: 33.33, product_id: 'basic', recurring_months: null },
        { type: 'percent', rate: 1, partner_id: world.ben.partnerId },
      ];
      const before = await tracer.manage('GET', '/commission-policies');
      const simulated: Record<string, unknown>[] = [];
      for (const draft of drafts) simulated.push(await simulate({ ...asked, draft }));
      expect(await tracer.manage('GET', '/commission-policies')).toMatchObject({ body: before.body });
      expect(await world.engine.read.selectFrom('sales').select('id').execute()).toEqual([]);
      expect(simulated.map(draftVerdictOf)).toEqual(['chosen', 'chosen', 'chosen', 'other_partner']);
      expect(simulated.map(({ candidates }) => JSON.stringify(candidates).includes('replaced'))).toEqual([
        false,
        false,
        true,
        false,
      ]);
      for (const [index, draft] of drafts.entries()) {
        const { recurring_months, ...terms } = draft;
        const created =
          index === 2
            ? await tracer.manage('PUT', '/commission-policies/2', { rate: terms.rate })
            : await tracer.manage('POST', '/commission-policies', draft);
        world.clock.now += 1;
        expect((await sell(0, sale)).amount_cents).toBe(simulated[index]?.['amount_cents']);
        const undone =
          index === 2
            ? await tracer.manage('PUT', '/commission-policies/2', { rate: 30 })
            : await tracer.manage('DELETE', `/commission-policies/${idOf(created)}`);
        expect(undone.status).toBe(200);
        world.clock.now += 1;
      }
    });

    test('tries another attribution window, up to a year', async () => {
      const asked = { amount_cents: 1000, days_since_click: 75, partner_id: world.anna.partnerId };
      expect(await simulate(asked)).toMatchObject({ reason: 'window_expired', window_days: 60 });
      expect(await simulate({ ...asked, window_days: 74 })).toMatchObject({
        reason: 'window_expired',
        why: expect.stringContaining('The attribution window was 74 days'),
        window_days: 74,
      });
      expect(await simulate({ ...asked, window_days: 75 })).toMatchObject({
        reason: 'policy_applied',
        window_days: 75,
      });
      for (const window_days of [0, 366]) {
        expect(
          await tracer.manage('POST', '/commission-policies/simulate', { ...asked, window_days }),
        ).toMatchObject({ status: 400, body: { error: expect.stringContaining('window_days') } });
      }
      // The window of the program has not changed.
      expect(await sell(75, { amount_cents: 1000 })).toMatchObject({ reason: 'window_expired' });
    });

    test('says that no sale counts while the partner is not approved, and rejects unknown partners', async () => {
      await tracer.manage('PUT', `/partners/${world.ben.partnerId}`, { status: 'pending' });
      const asked = { amount_cents: 1000, days_since_click: 0 };
      expect(await simulate({ ...asked, partner_id: world.ben.partnerId })).toMatchObject({
        earns: false,
        reason: 'no_partner_program',
        candidates: [],
      });
      expect(await simulate({ ...asked, amount_cents: 0 })).toMatchObject({ reason: 'zero_amount' });
      const refusals: readonly (readonly [object, string])[] = [
        [{ ...asked, partner_id: 99 }, 'partner_id must be a partner of the program'],
        [
          { ...asked, draft: { type: 'percent', rate: 1, partner_id: 99 } },
          'draft.partner_id must be a partner of the program',
        ],
        [{ ...asked, tax_cents: 900, shipping_cents: 101 }, 'tax_cents and shipping_cents together'],
        [{ days_since_click: 1 }, 'amount_cents must be an integer'],
        [{ ...asked, draft: { type: 'percent', rate: 1, speed: 2 } }, 'Unknown field "draft.speed"'],
      ];
      for (const [body, error] of refusals) {
        expect(await tracer.manage('POST', '/commission-policies/simulate', body)).toMatchObject({
          status: 400,
          body: { error: expect.stringContaining(error) },
        });
      }
    });
  });
}

function draftVerdictOf({ candidates }: Record<string, unknown>): unknown {
  const rows = candidates as { is_draft: boolean; verdict: string }[];
  return rows.find(({ is_draft }) => is_draft)?.verdict;
}

function idOf({ body }: Reply): number {
  return (body['data'] as { id: number }).id;
}
