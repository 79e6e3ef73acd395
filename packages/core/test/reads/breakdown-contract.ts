import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countBreakdowns } from '../../src/jobs/count-breakdowns.ts';
import { checkBreakdowns, rebuildBreakdowns } from '../../src/reporting/breakdowns.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { waitUntil } from '../support/wait-until.ts';
import { addLink, addProgram, makeWorld, START, signInOwner, type World } from '../support/world.ts';

const DAY = 86_400_000;
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

export function breakdownContract(kind: string, open: OpenEngine): void {
  describe(`breakdowns on ${kind}`, () => {
    let world: World;
    let country: string | null;
    beforeEach(async () => {
      country = 'DE';
      const locate = () => ({ country, region: null, city: null });
      world = await makeWorld(await open(), {}, { locate });
    });
    afterEach(() => world.affkit.close());

    const read = async (query: string, programId = world.program.id) => {
      const path = `/api/advertiser/affiliate-programs/${programId}/breakdown?${query}`;
      const reply = await world.call('GET', path, undefined, await signInOwner(world));
      expect(reply.status).toBe(200);
      return reply.body as { data: Record<string, unknown>[]; meta: { as_of: string | null } };
    };
    const rows = async (query: string, programId?: number) => (await read(query, programId)).data;
    /**
     * Runs the jobs until every event is counted. On Postgres, a database transaction of another test may
     * delay the count.
     */
    const count = () =>
      waitUntil(async () => {
        await world.affkit.jobs.runOnce();
        return (await read('by=country')).meta.as_of === new Date(world.clock.now).toISOString();
      });
    const check = (programId = world.program.id) => checkBreakdowns(world.affkit.runtime, programId);
    const row = (value: string | null, clicks: number, others = {}) => ({
      value,
      is_other: false,
      clicks,
      leads: 0,
      sales: 0,
      revenue: [],
      ...others,
    });

    test('counts events whose ids are far apart', async () => {
      await world.click('anna');
      await world.engine.write(world.program.id, ({ db, dialect }) =>
        (dialect === 'postgres'
          ? sql`SELECT setval(pg_get_serial_sequence('click_events', 'id'), 100000)`
          : sql`UPDATE sqlite_sequence SET seq = 100000 WHERE name = 'click_events'`
        ).execute(db),
      );
      await world.click('anna');
      await count();
      expect(await rows('by=country')).toEqual([row('DE', 2)]);
      expect(await check()).toEqual([]);
    });

    test('counts a click in six dimensions, and counts a lead or sale under the values of the customer’s first click', async () => {
      const first = await world.click('anna', {
        page_url: 'https://shop.example/pricing?plan=pro#top',
        referrer_url: 'https://Blog.example:8080/post?id=1',
        user_agent: FIREFOX,
      });
      country = 'FR';
      await world.click('anna', { existing_click_id: first, page_url: 'no url' });
      country = null;
      await world.click('ben');
      world.clock.now += DAY;
      await world.track('lead', { click_id: first, customer_key: 'u1' });
      await world.track('sale', { transaction_id: 't1', amount_cents: 1999, customer_key: 'u1' });
      await world.track('sale', {
        transaction_id: 't2',
        amount_cents: 500,
        currency: 'EUR',
        customer_key: 'u1',
      });
      await world.track('sale', {
        transaction_id: 't3',
        amount_cents: 1,
        additional_data: { test_mode: true },
      });
      world.clock.now = START + DAY;
      expect((await read('by=country')).meta.as_of).toBeNull();
      expect(await rows('by=country')).toEqual([]);
      await count();

      const revenue = [
        { currency: 'EUR', amount_cents: 500 },
        { currency: 'USD', amount_cents: 1999 },
      ];
      const paid = { leads: 1, sales: 2, revenue };
      expect(await rows('by=country')).toEqual([row(null, 1), row('DE', 1, paid), row('FR', 1)]);
      expect(await rows('by=page')).toEqual([row(null, 2), row('https://shop.example/pricing', 1, paid)]);
      expect(await rows('by=referrer_host')).toEqual([row(null, 2), row('blog.example:8080', 1, paid)]);
      expect(await rows('by=browser&measure=sales')).toMatchObject([
        { value: 'Firefox', sales: 2 },
        { value: null },
      ]);
      expect(await rows('by=os')).toMatchObject([{ clicks: 2 }, { value: 'Linux' }]);
      expect(await rows('by=device')).toMatchObject([{ value: 'desktop', clicks: 3 }]);
      const date = (at: number) => new Date(at).toISOString().slice(0, 10);
      expect(await rows(`by=country&dateTo=${date(START)}`)).toEqual([
        row(null, 1),
        row('DE', 1),
        row('FR', 1),
      ]);
      expect(await rows(`by=country&dateFrom=${date(START + DAY)}`)).toEqual([row('DE', 0, paid)]);
      expect(await rows('by=country&limit=1&measure=leads')).toEqual([
        row('DE', 1, paid),
        { ...row(null, 2), is_other: true },
      ]);
      expect(await check()).toEqual([]);
    });

    test('rejects invalid parameters', async () => {
      const path = `/api/advertiser/affiliate-programs/${world.program.id}/breakdown`;
      const session = await signInOwner(world);
      for (const query of [
        '?by=city',
        '?by=os&limit=0',
        '?by=os&measure=revenue',
        '?by=os&dateFrom=2026-02-02&dateTo=2026-02-01',
        '?by=os&dateFrom=2000-01-01',
      ]) {
        expect(await world.call('GET', path + query, undefined, session)).toMatchObject({ status: 400 });
      }
    });

    test('counts each event once, over several batches, processes and programs', async () => {
      const other = await addProgram(world, world.workspaceId, 'cora');
      for (let round = 0; round < 23; round++) {
        const codes = Array.from({ length: 100 }, (_, index) => (index < 4 ? 'cora' : 'anna'));
        await Promise.all(codes.map((code) => world.click(code)));
      }
      await Promise.all([count(), count(), world.affkit.jobs.runOnce(), world.affkit.jobs.runOnce()]);
      expect(await rows('by=country')).toEqual([row('DE', 2_208)]);
      expect(await rows('by=country', other.program.id)).toEqual([row('DE', 92)]);
      await world.click('anna');
      await count();
      expect(await rows('by=country')).toEqual([row('DE', 2_209)]);
      expect([...(await check()), ...(await check(other.program.id))]).toEqual([]);
    });

    const topLinks = async (programId = world.program.id) => {
      const path = `/api/advertiser/affiliate-programs/${programId}/top?by=link`;
      const { status, body } = await world.call('GET', path, undefined, await signInOwner(world));
      expect(status).toBe(200);
      const { data } = body as { data: { short_link: string; value: number }[] };
      return Object.fromEntries(data.map((link) => [link.short_link, link.value]));
    };

    test('ranks links by all their clicks before, while and after the job counts them', async () => {
      const other = await addProgram(world, world.workspaceId, 'cora');
      await addLink(world, world.anna.partnerId, 'anna-2');
      const visit = (code: string, visits: number) =>
        Promise.all(Array.from({ length: visits }, () => world.click(code)));
      await Promise.all([visit('anna', 7), visit('anna-2', 12), visit('cora', 3)]);
      await world.call('POST', '/api/v1/track/click', {
        affiliate_url: 'https://shop.example/?aff=anna-2',
        additional_data: { test_mode: true },
      });
      expect(await topLinks()).toEqual({ 'anna-2': 12, anna: 7 });
      for (let sent = 12; sent < 60; sent += 12) {
        const [counts] = await Promise.all([
          Promise.all(Array.from({ length: 8 }, () => topLinks())),
          visit('anna-2', 12),
          world.affkit.jobs.runOnce(),
          world.affkit.jobs.runOnce(),
        ]);
        for (const { anna, 'anna-2': second = 0 } of counts) {
          expect(anna).toBe(7);
          expect(second).toBeGreaterThanOrEqual(sent);
          expect(second).toBeLessThanOrEqual(sent + 12);
        }
        expect(await topLinks()).toEqual({ 'anna-2': sent + 12, anna: 7 });
      }
      await count();
      expect(await topLinks()).toEqual({ 'anna-2': 60, anna: 7 });
      expect(await topLinks(other.program.id)).toEqual({ cora: 3 });
      expect([...(await check()), ...(await check(other.program.id))]).toEqual([]);
    });

    test('finds and corrects wrong click counts of links', async () => {
      for (let visits = 0; visits < 3; visits++) await world.click('anna');
      await count();
      const before = await world.engine.read.selectFrom('link_clicks').selectAll().execute();
      const [stored] = before;
      if (!stored) throw new Error('The job has not counted the clicks of the link');
      await world.engine.write(0, async ({ db }) => {
        await db.updateTable('link_clicks').set({ clicks: 5 }).execute();
        await db
          .insertInto('link_clicks')
          .values({ ...stored, day: stored.day - 1 })
          .execute();
      });
      const drift = { programId: world.program.id, dimension: 'link', value: String(stored.link_id) };
      expect(await check()).toEqual([
        { ...drift, day: stored.day - 1, isOther: false, measure: 'clicks', recorded: 3, counted: 0 },
        { ...drift, day: stored.day, isOther: false, measure: 'clicks', recorded: 5, counted: 3 },
      ]);
      await world.click('anna');
      expect(await rebuildBreakdowns(world.affkit.runtime, world.program.id)).toBe(2);
      expect(await check()).toEqual([]);
      expect(await topLinks()).toEqual({ anna: 4 });
      await count();
      expect(await topLinks()).toEqual({ anna: 4 });
      expect(await check()).toEqual([]);
    });

    test('sums up the values beyond the daily limit in one row, and a rebuild keeps the largest values', async () => {
      const visit = (page: number) => world.click('anna', { page_url: `https://shop.example/${page}` });
      for (let page = 0; page < 101; page++) await visit(page);
      await count();
      await visit(100);
      await visit(100);
      await visit(5);
      await count();
      const byPage = await rows('by=page&limit=100');
      expect(byPage).toHaveLength(101);
      expect(byPage[0]).toEqual(row('https://shop.example/5', 2));
      expect(byPage[100]).toEqual({ ...row(null, 3), is_other: true });
      expect(await check()).toEqual([]);

      await world.engine.write(0, async ({ db }) => {
        await db.deleteFrom('breakdowns').where('dimension', '=', 'page').execute();
        await db.updateTable('breakdowns').set({ total: 7 }).where('dimension', '=', 'country').execute();
      });
      const day = Math.floor(START / DAY);
      const drift = { programId: world.program.id, day, isOther: false, measure: 'clicks' };
      const drifts = await check();
      expect(drifts).toContainEqual({
        ...drift,
        dimension: 'country',
        value: 'DE',
        recorded: 7,
        counted: 104,
      });
      expect(drifts).toContainEqual({
        ...drift,
        dimension: 'page',
        value: '',
        isOther: true,
        recorded: 0,
        counted: 104,
      });
      expect(await rebuildBreakdowns(world.affkit.runtime, world.program.id)).toBe(2);
      expect(await check()).toEqual([]);
      const rebuilt = await rows('by=page&limit=100');
      expect(rebuilt.slice(0, 2)).toEqual([
        row('https://shop.example/100', 3),
        row('https://shop.example/5', 2),
      ]);
      expect(rebuilt[100]).toEqual({ ...row(null, 1), is_other: true });
      await visit(100);
      await visit(999);
      await count();
      expect((await rows('by=page&limit=100'))[100]).toMatchObject({ is_other: true, clicks: 2 });
      expect(await check()).toEqual([]);
    });

    test('counts a value completely if a rebuild moves it to the shared row while the job counts', async () => {
      const visit = (page: number) => world.click('anna', { page_url: `https://shop.example/${page}` });
      for (let page = 0; page < 101; page++) await visit(page);
      await visit(100);
      await count();
      await world.engine.write(0, ({ db }) =>
        db
          .updateTable('breakdowns')
          .set({ total: 7 })
          .where('value', '=', 'https://shop.example/0')
          .execute(),
      );
      // The rebuild gives page 100 a row of its own, and moves page 99 to the shared row.
      await visit(99);
      let rebuilt: Promise<number> | undefined;
      const write: Engine['write'] = async (...work) => {
        rebuilt ??= rebuildBreakdowns(world.affkit.runtime, world.program.id);
        await rebuilt;
        return await world.engine.write(...work);
      };
      const engine = { ...world.engine, write };
      while (await countBreakdowns({ engine, now: () => world.clock.now }));
      await count();
      expect(await rebuilt).toBe(1);
      expect(await check()).toEqual([]);
    });
  });
}
