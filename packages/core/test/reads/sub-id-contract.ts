import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { makeWorld, signInOwner, type World } from '../support/world.ts';

const LANDING = 'https://shop.example/?aff=anna';
const DAY_MS = 86_400_000;

export function subIdContract(kind: string, open: OpenEngine): void {
  describe(`sub_id on ${kind}`, () => {
    let world: World;
    let session: Record<string, string>;
    beforeEach(async () => {
      world = await makeWorld(await open());
      session = await signInOwner(world);
    });
    afterEach(() => world.affkit.close());

    const list = async (query = '') => {
      const path = `/api/tracking/events/${world.program.id}?${query}`;
      const { status, body } = await world.call('GET', path, undefined, session);
      expect(status).toBe(200);
      const { pagination } = body['meta'] as { pagination: { total: number } };
      return { rows: body['data'] as Record<string, unknown>[], total: pagination.total };
    };
    const listIds = async (query: string) => (await list(query)).rows.map((row) => row['click_id']);

    test.each([
      ['the field', { sub_id: 'newsletter 42 ü' }, 'newsletter 42 ü'],
      ['the URL without the field', { affiliate_url: `${LANDING}&sub_id=spring%20sale` }, 'spring sale'],
      ['the field before the URL', { sub_id: 'a', affiliate_url: `${LANDING}&sub_id=b` }, 'a'],
      ['the URL when the field is null', { sub_id: null, affiliate_url: `${LANDING}&sub_id=b` }, 'b'],
      ['the URL when the field is empty', { sub_id: '', affiliate_url: `${LANDING}&sub_id=b` }, 'b'],
      ['neither', {}, null],
      ['an empty URL parameter', { affiliate_url: `${LANDING}&sub_id=` }, null],
      ['a number', { sub_id: 42 }, null],
      ['the first 128 characters', { sub_id: 'x'.repeat(129) }, 'x'.repeat(128)],
      ['printable characters only', { sub_id: 'a\0b\nc\u202ed\ud800e' }, 'abcde'],
      ['whole characters only', { sub_id: `${'x'.repeat(127)}😀` }, 'x'.repeat(127)],
    ])('is stored and listed: %s', async (_source, fields, subId) => {
      const clickId = await world.click('anna', fields);
      const { rows } = await list();
      expect(rows).toMatchObject([{ event_type: 'click', click_id: clickId, sub_id: subId }]);
    });

    test('events can be filtered by sub_id, together with pages, ranges and types, and the total is exact', async () => {
      const start = world.clock.now;
      const ids: string[] = [];
      for (let day = 0; day < 3; day++) {
        for (const sub_id of ['a', 'b', 'a']) ids.push(await world.click('anna', { sub_id }));
        world.clock.now += DAY_MS;
      }
      await world.click('anna');
      // Sets the clock back, because at the advanced time the session has expired.
      world.clock.now = start;
      await world.track('lead', { click_id: ids[0], customer_key: 'k' });
      await world.track('sale', { click_id: ids[0], transaction_id: 't', amount_cents: 100 });
      const [a0 = '', , a1 = '', a2 = '', , a3 = '', a4 = '', , a5 = ''] = ids;

      expect(await listIds('sub_id=a')).toEqual([a5, a4, a3, a2, a1, a0]);
      expect((await list('sub_id=a&pageSize=1')).total).toBe(6);
      expect(await listIds('sub_id=a&page=2&pageSize=4')).toEqual([a1, a0]);
      expect(await listIds('sub_id=a&eventType=click')).toHaveLength(6);
      const date = new Date(start + DAY_MS).toISOString().slice(0, 10);
      expect(await listIds(`sub_id=a&dateFrom=${date}&dateTo=${date}`)).toEqual([a3, a2]);
      expect(await list('sub_id=a&eventType=conversion')).toEqual({ rows: [], total: 0 });
      expect(await list('sub_id=A')).toEqual({ rows: [], total: 0 });
      expect((await list('sub_id=')).total).toBe(12);
    });

    test('the sub_id of a test click is stored, but test clicks are not listed', async () => {
      await world.call('POST', '/api/v1/track/click', {
        affiliate_url: LANDING,
        sub_id: 'a',
        additional_data: { test_mode: true },
      });
      const stored = await world.engine.read
        .selectFrom('click_events')
        .select(['sub_id', 'is_test'])
        .execute();
      expect(stored).toEqual([{ sub_id: 'a', is_test: 1 }]);
      expect((await list('sub_id=a')).total).toBe(0);
    });

    test('a filter by sub_id does not list the clicks of another program', async () => {
      await world.click('anna', { sub_id: 'a' });
      // Citus cannot change the program of a stored row, because the row would have to move to another server.
      await world.engine.write(0, async ({ db }) => {
        const click = await db.selectFrom('click_events').selectAll().executeTakeFirstOrThrow();
        await db.deleteFrom('click_events').execute();
        await db
          .insertInto('click_events')
          .values({ ...click, program_id: world.program.id + 1 })
          .execute();
      });
      expect(await list('sub_id=a')).toEqual({ rows: [], total: 0 });
    });
  });
}
