import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listCommissions, listCommissionsAfter } from '../../src/storage/reads/commission-list.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { DAY, openPayoutWorld, type PayoutWorld } from '../support/payout-world.ts';
import { START } from '../support/world.ts';

type Row = Readonly<Record<string, unknown>>;

/**
 * Sales on separate days. The amounts in yen have the most minor units, but lists must order by currency first.
 */
const SALES = [
  ['usd-20', 'anna', 10_000, 'USD'],
  ['jpy-900', 'anna', 4_500_000, 'JPY'],
  ['eur-5', 'ben', 2_500, 'EUR'],
  ['usd-5', 'ben', 2_500, 'USD'],
  ['eur-40', 'anna', 20_000, 'EUR'],
  ['usd-5-again', 'anna', 2_500, 'USD'],
  ['jpy-100', 'ben', 500_000, 'JPY'],
] as const;

const HIGHEST_FIRST = ['eur-40', 'eur-5', 'jpy-900', 'jpy-100', 'usd-20', 'usd-5-again', 'usd-5'];
const LOWEST_FIRST = ['eur-5', 'eur-40', 'jpy-100', 'jpy-900', 'usd-5', 'usd-5-again', 'usd-20'];

export function amountOrderContract(kind: string, open: OpenEngine): void {
  describe(`lists sorted by amount on ${kind}`, () => {
    let world: PayoutWorld;

    beforeAll(async () => {
      world = await openPayoutWorld(open);
      for (const [name, code, amount, currency] of SALES) {
        await world.sell(name, amount, { code, currency });
        world.clock.now += DAY;
      }
      await world.payOut();
    });
    afterAll(() => world.affkit.close());

    const read = async (path: string) => {
      const { status, body } = await world.ask('GET', path);
      expect([path, status]).toEqual([path, 200]);
      return body as { data: Row[]; meta: { pagination: Row } };
    };
    const names = async (query: string) =>
      (await read(`/commissions?${query}`)).data.map((row) => row['transaction_id']);
    const csv = async (path: string, column: string) => {
      const { body } = await world.call('GET', `${world.path}${path}`, undefined, world.credential);
      const [header = '', ...lines] = String(body).split('\r\n').slice(0, -1);
      const at = header.split(',').indexOf(column);
      return lines.map((line) => line.split(',')[at]);
    };
    const ofAnna = (list: readonly string[]) =>
      list.filter((name) => SALES.some(([sale, code]) => sale === name && code === 'anna'));

    test('lists commissions by currency, then by amount, and then by id', async () => {
      expect(await names('sort=amount_cents')).toEqual(HIGHEST_FIRST);
      expect(await names('sort=amount_cents&order=asc')).toEqual(LOWEST_FIRST);
      expect(await names('sort=amount_cents&q=usd')).toEqual(['usd-20', 'usd-5-again', 'usd-5']);
      expect(await names('sort=amount_cents&order=asc&q=eur')).toEqual(['eur-5', 'eur-40']);
    });

    test('keeps this order under every filter', async () => {
      const day = (index: number) => new Date(START + index * DAY).toISOString();
      const anna = world.anna.partnerId;
      expect(await names(`sort=amount_cents&partner_id=${anna}`)).toEqual(ofAnna(HIGHEST_FIRST));
      expect(await names(`sort=amount_cents&order=asc&partner_id=${anna}`)).toEqual(ofAnna(LOWEST_FIRST));
      expect(await names('sort=amount_cents&status=approved')).toEqual(HIGHEST_FIRST);
      expect(await names('sort=amount_cents&status=rejected')).toEqual([]);
      expect(await names(`sort=amount_cents&dateFrom=${day(3)}&dateTo=${day(5)}`)).toEqual([
        'eur-40',
        'usd-5-again',
        'usd-5',
      ]);
    });

    test.each([1, 2, 3, 5])('pages of %i commissions together contain the whole list', async (size) => {
      for (const [order, expected] of [
        ['asc', LOWEST_FIRST],
        ['desc', HIGHEST_FIRST],
      ] as const) {
        const found: unknown[] = [];
        for (let page = 1; page <= Math.ceil(SALES.length / size) + 1; page++) {
          found.push(...(await names(`sort=amount_cents&order=${order}&pageSize=${size}&page=${page}`)));
        }
        expect(found).toEqual(expected);
      }
    });

    test.each([1, 2, 3, 9])('a CSV export with %i rows per query is sorted like the list', async (size) => {
      const { engine, program } = world;
      const filter = {
        status: null,
        isInReview: false,
        partnerId: null,
        payoutId: null,
        q: undefined,
        range: { from: null, to: null },
      };
      for (const order of ['asc', 'desc'] as const) {
        const by = { sort: 'amount_cents', order } as const;
        const all = await listCommissions(engine, program.id, filter, by, { offset: 0, limit: 9 });
        const steps = [];
        for (let found = size; found === size; ) {
          const step = await listCommissionsAfter(engine, program.id, filter, by, steps.at(-1) ?? null, size);
          steps.push(...step);
          found = step.length;
        }
        expect(steps).toEqual(all.commissions);
      }
      expect(await csv('/commissions.csv?sort=amount_cents', 'transaction_id')).toEqual(HIGHEST_FIRST);
    });

    test('lists payouts by currency and then by amount', async () => {
      const payouts = async (query: string) =>
        (await read(`/payouts?${query}`)).data.map((row) => `${row['amount_cents']} ${row['currency']}`);
      const highestFirst = ['4000 EUR', '500 EUR', '900000 JPY', '100000 JPY', '2500 USD', '500 USD'];
      const lowestFirst = ['500 EUR', '4000 EUR', '100000 JPY', '900000 JPY', '500 USD', '2500 USD'];
      expect(await payouts('sort=amount_cents')).toEqual(highestFirst);
      expect(await payouts('sort=amount_cents&order=asc')).toEqual(lowestFirst);
      expect(await payouts('sort=amount_cents&pageSize=2&page=2')).toEqual(highestFirst.slice(2, 4));
      expect(await payouts('sort=amount_cents&q=ann')).toEqual(['4000 EUR', '900000 JPY', '2500 USD']);
      expect(await csv('/payouts.csv?sort=amount_cents&order=asc', 'currency')).toEqual(
        lowestFirst.map((text) => text.split(' ')[1]),
      );
    });

    test("sorts partners only by their balance in the program's currency", async () => {
      const partners = async (query: string) =>
        (await read(`/partners?${query}`)).data.map((row) => row['name']);
      // A payout remains part of the balance until it is paid. The order ignores balances in yen, even large ones.
      await world.sell('jpy-1000000', 500_000_000, { code: 'ben', currency: 'JPY' });
      expect(await partners('sort=balance_cents')).toEqual(['anna', 'ben']);
      expect(await partners('sort=balance_cents&order=asc')).toEqual(['ben', 'anna']);
    });
  });
}
