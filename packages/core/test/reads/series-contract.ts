import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { DAY, openPayoutWorld, type PayoutWorld } from '../support/payout-world.ts';
import { addLink, START } from '../support/world.ts';

type Row = Readonly<Record<string, unknown>>;

export function seriesContract(kind: string, open: OpenEngine): void {
  describe(`series and rankings on ${kind}`, () => {
    let world: PayoutWorld;

    beforeAll(async () => {
      world = await openPayoutWorld(open);
      await addLink(world, world.ben.partnerId, 'ben-2');
      // On the first day, Anna has 3 clicks. On the second day, Anna has 1 click, and Ben has 2 clicks and
      // sales in two currencies.
      for (let count = 0; count < 3; count++) await world.click('anna');
      world.clock.now += DAY;
      await world.click('anna');
      await world.sell('t1', 1000, { code: 'ben' });
      await world.sell('t2', 5000, { code: 'ben-2', currency: 'JPY' });
    });
    afterAll(() => world.affkit.close());

    const today = new Date(START + DAY).toISOString().slice(0, 10);
    const yesterday = new Date(START).toISOString().slice(0, 10);
    const read = async (path: string) => {
      const { status, body } = await world.ask('GET', path);
      expect([path, status]).toEqual([path, 200]);
      return body as { data: { times: string[]; series: Row[] }; meta: Row };
    };
    const series = async (query: string) => (await read(`/series?${query}`)).data.series;

    test('lists a value for each day, and compares with the previous range of equal length', async () => {
      const { data, meta } = await read(`/series?measures=clicks,revenue&dateFrom=${today}`);
      expect(data.times).toEqual([`${today}T00:00:00.000Z`]);
      expect(meta).toEqual({
        date_from: `${today}T00:00:00.000Z`,
        date_to: `${today}T23:59:59.999Z`,
        previous: { date_from: `${yesterday}T00:00:00.000Z`, date_to: `${yesterday}T23:59:59.999Z` },
      });
      const before = { previous_values: [0], previous_total: 0 };
      expect(data.series).toEqual([
        { measure: 'clicks', currency: null, values: [3], total: 3, previous_values: [3], previous_total: 3 },
        { measure: 'revenue', currency: 'USD', values: [1000], total: 1000, ...before },
        { measure: 'revenue', currency: 'JPY', values: [5000], total: 5000, ...before },
      ]);
    });

    test('covers 30 days with all measures by default', async () => {
      const { data } = await read('/series');
      expect(data.times).toHaveLength(30);
      expect(data.series.map((one) => [one['measure'], one['currency'], one['total']])).toEqual([
        ['clicks', null, 6],
        ['leads', null, 0],
        ['sales', null, 2],
        ['conversions', null, 2],
        ['partners', null, 2],
        ['revenue', 'USD', 1000],
        ['revenue', 'JPY', 5000],
        ['commission', 'USD', 200],
        ['commission', 'JPY', 1000],
      ]);
    });

    test('covers only the partner with the given partner_id', async () => {
      const ofBen = await series(`measures=clicks&partner_id=${world.ben.partnerId}&dateFrom=${yesterday}`);
      expect(ofBen).toMatchObject([{ values: [0, 2], total: 2, previous_total: 0 }]);
      expect(await series('measures=clicks&partner_id=999999')).toMatchObject([{ total: 0 }]);
    });

    test('lists a value for each hour', async () => {
      const { data } = await read(`/series?unit=hour&dateFrom=${yesterday}&measures=clicks,sales`);
      expect(data.times).toHaveLength(48);
      expect(data.times[36]).toBe(`${today}T12:00:00.000Z`);
      const [clicks, sales] = data.series as unknown as { values: number[]; total: number }[];
      expect([clicks?.values[12], clicks?.values[36], clicks?.total]).toEqual([3, 3, 6]);
      expect([sales?.values[36], sales?.total]).toEqual([2, 2]);
    });

    const top = async (query: string) => (await read(`/top?${query}`)).data as unknown as Row[];

    test('ranks partners in a range', async () => {
      const anna = { partner_id: world.anna.partnerId, partner_name: 'anna' };
      const ben = { partner_id: world.ben.partnerId, partner_name: 'ben' };
      expect(await top('by=partner')).toEqual([
        { ...anna, value: 4 },
        { ...ben, value: 2 },
      ]);
      expect(await top(`by=partner&dateFrom=${today}`)).toEqual([
        { ...ben, value: 2 },
        { ...anna, value: 1 },
      ]);
      expect(await top('by=partner&limit=1')).toEqual([{ ...anna, value: 4 }]);
      expect(await top('by=partner&measure=sales')).toEqual([{ ...ben, value: 2 }]);
      expect(await top('by=partner&measure=revenue')).toEqual([{ ...ben, value: 1000 }]);
      expect(await top('by=partner&measure=commission&currency=JPY')).toEqual([{ ...ben, value: 1000 }]);
      expect(await top('by=partner&measure=leads')).toEqual([]);
      expect(await top('by=partner&dateTo=2026-01-01')).toEqual([]);
    });

    test('ranks links, including several links of one partner', async () => {
      const ranked = await top('by=link');
      expect(ranked.map((row) => [row['short_link'], row['partner_name'], row['value']])).toEqual([
        ['anna', 'anna', 4],
        ['ben', 'ben', 1],
        ['ben-2', 'ben', 1],
      ]);
      expect(await top(`by=link&dateTo=${yesterday}`)).toMatchObject([{ short_link: 'anna', value: 3 }]);
    });

    test.each([
      ['/series?measures=clicks,age', 'each of measures must be one of clicks'],
      ['/series?unit=week', 'unit must be one of day, hour'],
      ['/series?unit=hour&partner_id=1', 'partner_id cannot be combined with unit=hour'],
      ['/series?unit=hour&measures=revenue', 'unit=hour has only the measures clicks, leads, sales'],
      ['/series?unit=hour&dateFrom=2026-01-01&dateTo=2026-03-01', 'may span at most 31 days'],
      ['/series?dateFrom=2000-01-01&dateTo=2026-03-01', 'may span at most 3660 days'],
      ['/series?unit=hour&dateFrom=2025-01-01', 'may span at most 31 days'],
      ['/series?dateFrom=2000-01-01', 'may span at most 3660 days'],
      ['/top?by=link&dateFrom=2000-01-01', 'may span at most 3660 days'],
      ['/series?dateFrom=2026-03-02&dateTo=2026-03-01', 'dateFrom must not be after dateTo'],
      ['/top', 'by must be one of partner, link'],
      ['/top?by=link&measure=revenue', 'links are ranked only by clicks'],
      ['/top?by=partner&limit=51', 'limit must be an integer from 1 to 50'],
      ['/top?by=partner&measure=revenue&currency=usd', 'currency must be an ISO 4217 code'],
    ])('rejects %s', async (path, error) => {
      expect(await world.ask('GET', path)).toMatchObject({
        status: 400,
        body: { code: 'invalid_field', error: expect.stringContaining(error) },
      });
    });
  });
}
