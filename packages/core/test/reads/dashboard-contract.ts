import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { makeWorld, type Reply, START, signInOwner, type World } from '../support/world.ts';

const DAY = 86_400_000;

export function dashboardContract(kind: string, open: OpenEngine): void {
  describe(`status and performance on ${kind}`, () => {
    let world: World;
    beforeEach(async () => {
      world = await makeWorld(await open());
    });
    afterEach(() => world.affkit.close());
    const get = async (path: string, programId: number | string = world.program.id): Promise<Reply> => {
      const [name, query] = path.split('?');
      const target = `/api/tracking/${name}/${programId}?${query ?? ''}`;
      return world.call('GET', target, undefined, await signInOwner(world));
    };
    const performance = (query = '') => get(`performance?${query}`);
    const testClick = () =>
      world.call('POST', '/api/v1/track/click', {
        affiliate_url: 'https://shop.example/?aff=anna',
        additional_data: { test_mode: true },
      });

    test('status returns pending for every step of a program without events', async () => {
      expect((await get('status')).body).toEqual({
        data: {
          programId: String(world.program.id),
          stepStatuses: { pageview: 'pending', referrals: 'pending', payments: 'pending' },
          statistics: {
            pageview: { testEventCount: 0, hasTestEvents: false, latestTestEvent: null },
            referrals: { testEventCount: 0, hasTestEvents: false, latestTestEvent: null },
            payments: {
              processorConnectionStatus: 'not_connected',
              isProcessorConnected: false,
              processorAccountId: null,
              chargesEnabled: false,
              payoutsEnabled: false,
              detailsSubmitted: false,
              connectionDate: null,
            },
          },
          hasPartners: true,
          lastUpdated: new Date(START).toISOString(),
        },
      });
    });

    test('status counts up to ten test events and shows the newest, and ignores real events', async () => {
      const real = await world.click('anna');
      await world.track('lead', { click_id: real, customer_key: 'u1' });
      for (let click = 0; click < 12; click++) await testClick();
      world.clock.now += 1000;
      const last = await testClick();
      const { eventId } = last.body['data'] as { eventId: number };
      const at = new Date(START + 1000).toISOString();
      expect((await get('status')).body['data']).toMatchObject({
        stepStatuses: { pageview: 'complete', referrals: 'pending', payments: 'pending' },
        statistics: {
          pageview: {
            testEventCount: 10,
            hasTestEvents: true,
            latestTestEvent: { id: eventId, timestamp: at, createdAt: at },
          },
          referrals: { testEventCount: 0, hasTestEvents: false, latestTestEvent: null },
        },
      });
      await world.call('POST', '/api/v1/track/lead', {
        additional_data: { test_mode: true, program_id: world.program.id },
      });
      expect((await get('status')).body['data']).toMatchObject({
        stepStatuses: { pageview: 'complete', referrals: 'complete' },
        statistics: { referrals: { testEventCount: 1, hasTestEvents: true } },
      });
    });

    test('hasPartners is true while at least one partner is approved', async () => {
      const { engine, program } = world;
      await engine.write(program.id, ({ db }) =>
        db.updateTable('partner_programs').set({ status: 'banned' }).execute(),
      );
      expect((await get('status')).body['data']).toMatchObject({ hasPartners: false });
    });

    test('performance returns a row for each of the last seven days and their sums', async () => {
      const click = await world.click('anna');
      await world.click('ben');
      await testClick();
      world.clock.now += DAY;
      await world.track('lead', { click_id: click, customer_key: 'u1' });
      const sale = { customer_key: 'u1', amount_cents: 1999 };
      await world.track('sale', { ...sale, transaction_id: 't1' });
      await world.track('sale', { ...sale, transaction_id: 't2', amount_cents: 1001 });
      await world.track('refund', { transaction_id: 't2' });
      const { body } = await performance();
      const rows = body['data'] as Record<string, unknown>[];
      const zeros = {
        clicks: 0,
        leads: 0,
        conversions: 0,
        revenue: 0,
        partners: 0,
        sales: 0,
        commission: 0,
      };
      const dates = ['10', '11', '12', '13', '14', '15', '16'].map((day) => `2026-06-${day}`);
      expect(rows).toEqual(
        dates.map((date) => {
          const row = { date, period: date, ...zeros };
          if (date === '2026-06-15') return { ...row, clicks: 2, partners: 2 };
          if (date === '2026-06-16') return { ...row, leads: 1, conversions: 1, revenue: 30, commission: 6 };
          return row;
        }),
      );
      const up = { trend: 100, trendDirection: 'up' };
      expect(body['metrics']).toEqual({
        totalClicks: 2,
        totalLeads: 1,
        totalConversions: 1,
        totalRevenue: 30,
        conversionRate: 50,
        averageOrderValue: 30,
        totalPartners: 2,
        totalSales: 2,
        totalPartnersCommission: 6,
        clicksTrend: up,
        leadsTrend: up,
        conversionsTrend: up,
        revenueTrend: up,
        partnersTrend: up,
        salesTrend: up,
        commissionTrend: up,
        other_currencies: [],
      });
      expect(body['meta']).toEqual({
        period: '7d',
        dateFrom: '2026-06-10T00:00:00.000Z',
        dateTo: '2026-06-16T23:59:59.999Z',
        previousPeriod: { dateFrom: '2026-06-03T00:00:00.000Z', dateTo: '2026-06-09T23:59:59.999Z' },
      });
    });

    test('trends compare with the previous range of equal length', async () => {
      for (const clicks of [3, 2]) {
        for (let click = 0; click < clicks; click++) await world.click('anna');
        world.clock.now += DAY;
      }
      expect(await performance('dateFrom=2026-06-16&dateTo=2026-06-16')).toMatchObject({
        body: {
          metrics: {
            totalClicks: 2,
            clicksTrend: { trend: 33.3, trendDirection: 'down' },
            partnersTrend: { trend: 100, trendDirection: 'down' },
            salesTrend: { trend: 0, trendDirection: 'stable' },
          },
          meta: { period: 'custom', previousPeriod: { dateFrom: '2026-06-15T00:00:00.000Z' } },
        },
      });
    });

    test('the period "all" starts on the first day with data, or today if there is no data', async () => {
      await world.click('anna');
      world.clock.now += 40 * DAY;
      const { body } = await performance('period=all');
      expect(body['data']).toHaveLength(41);
      expect(body['meta']).toMatchObject({
        period: 'all',
        dateFrom: '2026-06-15T00:00:00.000Z',
        dateTo: '2026-07-25T23:59:59.999Z',
      });
      await world.engine.write(world.program.id, ({ db }) => db.deleteFrom('daily_totals').execute());
      expect((await performance('period=all')).body['data']).toHaveLength(1);
    });

    test('the period "all" does not start on a day whose totals add up to zero', async () => {
      await world.click('anna');
      await world.engine.write(world.workspaceId, async ({ db, slot }) => {
        const row = { program_id: world.program.id, partner_id: 0, measure: 'clicks' as const };
        const day = Math.floor(START / 86_400_000) - 9;
        await db
          .insertInto('daily_totals')
          .values([
            { ...row, day, slot, value: 3 },
            { ...row, day, slot: slot + 1, value: -3 },
          ])
          .execute();
      });
      const { body } = await performance('period=all');
      expect(body['meta']).toMatchObject({
        dateFrom: new Date(START).toISOString().replace(/T.*/, 'T00:00:00.000Z'),
      });
    });

    test("figures are in the program's currency, and other currencies are listed separately", async () => {
      const click = await world.click('anna');
      const sale = { click_id: click, customer_key: 'u1' };
      await world.track('sale', { ...sale, transaction_id: 't1', amount_cents: 500, currency: 'USD' });
      await world.track('sale', { ...sale, transaction_id: 't2', amount_cents: 1000, currency: 'JPY' });
      await world.track('sale', { ...sale, transaction_id: 't3', amount_cents: 1500, currency: 'EUR' });
      expect((await performance()).body['metrics']).toMatchObject({
        totalRevenue: 5,
        totalSales: 3,
        totalPartnersCommission: 1,
        other_currencies: [
          { currency: 'EUR', totalRevenue: 15, totalPartnersCommission: 3 },
          { currency: 'JPY', totalRevenue: 1000, totalPartnersCommission: 200 },
        ],
      });
    });

    test('performance returns 400 for an invalid period or range', async () => {
      for (const query of ['period=1y', 'dateFrom=x&dateTo=y', 'dateFrom=2026-02-02&dateTo=2026-02-01']) {
        expect(await performance(query)).toMatchObject({ status: 400, body: { code: 'invalid_field' } });
      }
      expect((await performance('dateFrom=x')).status).toBe(200);
    });

    test('status and performance require membership in the workspace of the program', async () => {
      for (const name of ['status', 'performance']) {
        const path = `/api/tracking/${name}/${world.program.id}`;
        const token = { authorization: `Bearer ${world.token}` };
        expect((await world.call('GET', path)).status).toBe(401);
        expect((await world.call('GET', path, undefined, token)).status).toBe(401);
        expect((await get(name, 999)).status).toBe(404);
      }
    });
  });
}
