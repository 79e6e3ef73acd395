import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { errorResponse } from '../support/error-response.ts';
import { openPayoutWorld, type PayoutData, type PayoutWorld } from '../support/payout-world.ts';
import { signInOwner } from '../support/world.ts';

/** The body of a preview. */
interface Preview {
  readonly data: readonly { partner_id: number; currency: string; amount_cents: number }[];
  readonly meta: { readonly totals: readonly Record<string, unknown>[] };
}

const CHANGED = {
  status: 409,
  body: {
    code: 'conflict',
    error:
      'The payable amounts have changed, so this request created no payouts. Check the new amounts and try again.',
  },
};

export function expectedTotalsContract(kind: string, open: OpenEngine): void {
  describe(`payouts with expected totals on ${kind}`, () => {
    let world: PayoutWorld;
    beforeEach(async () => {
      world = await openPayoutWorld(open);
      await world.sell('a', 10_000);
      await world.sell('b', 5000, { code: 'ben' });
      await world.sell('yen', 5000, { currency: 'JPY' });
    });
    afterEach(() => auditAndClose(world));

    // The cast is safe because the tests check the fields that they use.
    const preview = async (order: object = {}) =>
      (await world.ask('POST', '/payouts/preview', order)).body as unknown as Preview;
    const create = (order: object) => world.ask('POST', '/payouts', order);
    const payouts = async () => (await world.ask('GET', '/payouts')).body['data'] as PayoutData[];

    test('payouts are created when the totals are as expected, in any order', async () => {
      const order = { excluded_partner_ids: [world.ben.partnerId] };
      const { totals } = (await preview(order)).meta;
      expect(totals).toEqual([
        { currency: 'JPY', payouts: 1, amount_cents: 1000 },
        { currency: 'USD', payouts: 1, amount_cents: 2000 },
      ]);
      const reply = await create({ ...order, expected_totals: totals.toReversed() });
      expect(reply).toMatchObject({ status: 201, body: { data: [{}, {}] } });
      expect(await create({ ...order, expected_totals: [] })).toMatchObject({
        status: 201,
        body: { data: [] },
      });
    });

    test('payouts are not created when an amount, a number of payouts, or a currency differs', async () => {
      const { totals } = (await preview()).meta;
      const [yen, dollars] = totals;
      for (const expected of [
        [],
        [yen],
        [yen, { ...dollars, amount_cents: 2999 }],
        [yen, { ...dollars, payouts: 1 }],
        [yen, { ...dollars, currency: 'EUR' }],
        [yen, yen],
        [yen, dollars, { ...dollars, currency: 'EUR' }],
      ]) {
        expect(await create({ expected_totals: expected })).toMatchObject(CHANGED);
      }
      await world.sell('c', 100);
      expect(await create({ expected_totals: totals })).toMatchObject(CHANGED);
      expect(await payouts()).toEqual([]);
    });

    test.each([
      [{}, 'expected_totals must be a list of {currency, payouts, amount_cents}'],
      [
        [{ currency: 'USD', payouts: 0, amount_cents: 1 }],
        'payouts of each expected total must be an integer',
      ],
      [[{ currency: 'USD', payouts: 1, amount_cents: 0.5 }], 'amount_cents of each expected total must be'],
      [[{ currency: 'X', payouts: 1, amount_cents: 1 }], 'currency must be an ISO 4217 code'],
    ])('are rejected with the invalid totals %j', async (expected, error) => {
      const reply = await create({ expected_totals: expected });
      expect(reply).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } });
      expect(await payouts()).toEqual([]);
    });

    test('each created payout has its previewed amount, even if refunds and sales are concurrent', async () => {
      for (let round = 0; round < 5; round++) {
        await world.sell(`refunded ${round}`, 1000, { code: 'ben' });
        const { data, meta } = await preview();
        const [reply] = await Promise.all([
          create({ expected_totals: meta.totals }),
          world.refund(`refunded ${round}`),
          // With the amount of the refund, the totals would be the same after both, and the request would be accepted.
          world.sell(`new ${round}`, 1500),
        ]);
        expect([201, 409]).toContain(reply.status);
        const created = (reply.status === 201 ? reply.body['data'] : []) as PayoutData[];
        const previewed = data.map(toKey);
        for (const payout of created) expect(previewed).toContain(toKey(payout));
      }
    });

    test('confirming a proposal creates payouts only if the totals are as expected', async () => {
      await world.ask('PUT', '/payout-settings', { schedule_day: 15 });
      await world.affkit.jobs.runOnce();
      const runs = (await world.ask('GET', '/payout-runs')).body['data'] as {
        id: number;
        totals: object[];
      }[];
      const confirm = async (totals: unknown) =>
        world.call(
          'POST',
          `${world.path}/payout-runs/${runs[0]?.id}/confirm`,
          { expected_totals: totals },
          await signInOwner(world),
        );
      await world.sell('later', 10_000);
      expect(await confirm(runs[0]?.totals)).toMatchObject(CHANGED);
      expect((await world.ask('GET', '/payout-runs')).body['data']).toMatchObject([{ status: 'proposed' }]);
      expect(await payouts()).toEqual([]);
      const { totals } = (await preview()).meta;
      expect(await confirm(totals)).toMatchObject({ status: 200, body: { data: { status: 'confirmed' } } });
      expect(await payouts()).toHaveLength(3);
    });
  });

  describe(`payouts with an expected amount on ${kind}`, () => {
    let world: PayoutWorld;
    beforeEach(async () => {
      world = await openPayoutWorld(open);
    });
    afterEach(() => auditAndClose(world));

    test('a payout is not marked as paid if its amount differs from the expected amount', async () => {
      await world.sell('t1', 1000);
      const [payout] = await world.payOut({ partner_ids: [world.anna.partnerId] });
      const id = payout?.id ?? 0;
      await world.refund('t1', 500);
      const message =
        'The payout is now 1.00 USD, not the amount that you sent, so it was not marked as paid. Compare it with your payment, and try again with the current amount.';
      expect(await world.end(id, 'mark-paid', { expected_amount_cents: 200 })).toMatchObject(
        errorResponse(409, message, 'conflict'),
      );
      const bulk = (items: object[]) => world.ask('POST', '/payouts/mark-paid', { items });
      expect((await bulk([{ id, expected_amount_cents: 200 }])).body['data']).toEqual([
        { id, ok: false, code: 'conflict', error: message },
      ]);
      expect(await world.end(id, 'mark-paid', { expected_amount_cents: -1 })).toMatchObject({ status: 400 });
      expect((await bulk([{ id, expected_amount_cents: 100 }])).body['data']).toEqual([
        { id, ok: true, status: 'paid' },
      ]);
      // A paid payout stays paid, even if another amount is expected.
      expect(await world.end(id, 'mark-paid', { expected_amount_cents: 200 })).toMatchObject({ status: 200 });
    });
  });
}

function toKey({ partner_id, currency, amount_cents }: Preview['data'][number]): string {
  return `${partner_id} ${currency} ${amount_cents}`;
}
