import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readEvents } from '../../src/reporting/events.ts';
import { rebuildTotals } from '../../src/reporting/totals.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { makeWorld, START, type World } from '../support/world.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Event times that collide, and that lie on and next to the boundaries of days and hours. */
const TIMES = [0, 0, 0, 1, 7, HOUR - 1, HOUR, 12 * HOUR, DAY - 1, DAY, 3 * DAY, 3 * DAY + HOUR].map(
  (offset) => Math.floor(START / DAY) * DAY - offset,
);

interface Key {
  readonly type: 'click' | 'lead' | 'conversion';
  readonly id: number;
  readonly at: number;
}

export function eventPagesContract(kind: string, open: OpenEngine): void {
  describe(`event list pages on ${kind}`, () => {
    let world: World;
    let all: Key[];
    beforeEach(async () => {
      world = await makeWorld(await open());
      all = await addEvents(world);
      await rebuildTotals(world.affkit.runtime, world.program.id);
    });
    afterEach(() => world.affkit.close());

    const readAll = async (
      type: Key['type'] | null,
      from: number | null,
      to: number | null,
      limit: number,
    ) => {
      const keys: string[] = [];
      for (let offset = 0; ; offset += limit) {
        const filter = { type, range: { from, to } };
        const page = await readEvents(world.affkit.runtime, world.program, filter, { offset, limit });
        keys.push(...page.events.map((event) => `${event['event_type']} ${event['id']}`));
        if (page.events.length < limit) return { keys, total: page.total };
      }
    };
    const expected = (type: Key['type'] | null, from: number | null, to: number | null) =>
      all
        .filter(
          (key) => (type === null || key.type === type) && (from ?? 0) <= key.at && key.at <= (to ?? 1e15),
        )
        .sort((a, b) => b.at - a.at || (a.type < b.type ? 1 : a.type > b.type ? -1 : b.id - a.id))
        .map((key) => `${key.type} ${key.id}`);

    test.each([1, 2, 7, 100])(
      'pages of %d contain each event once and in order, even if events have the same time',
      async (limit) => {
        for (const type of [null, 'click', 'conversion'] as const) {
          const keys = expected(type, null, null);
          expect(await readAll(type, null, null, limit)).toEqual({ keys, total: keys.length });
        }
      },
    );

    test('a range that begins or ends within a day contains only the events of that part of the day', async () => {
      const times = [...new Set(TIMES)];
      const bounds = [null, ...times, ...times.map((at) => at + 1)];
      for (const from of bounds) {
        for (const to of bounds) {
          if (from !== null && to !== null && from > to) continue;
          const keys = expected(null, from, to);
          expect(await readAll(null, from, to, 9), `${from} to ${to}`).toEqual({ keys, total: keys.length });
        }
      }
    });

    test('a page after the last is empty and has the total', async () => {
      const filter = { type: null, range: { from: null, to: null } };
      for (const offset of [all.length, 10 ** 13]) {
        expect(await readEvents(world.affkit.runtime, world.program, filter, { offset, limit: 10 })).toEqual({
          events: [],
          total: all.length,
          clicksCompleteFrom: null,
        });
      }
    });

    test('finds a page deep in a busy day, with and without hourly totals', async () => {
      const { runtime } = world.affkit;
      const { program, engine } = world;
      const day = Math.floor(START / DAY) * DAY + DAY;
      // Some clicks share a millisecond, and later ids can have earlier times.
      const times = Array.from({ length: 900 }, (_, index) => day + ((index * 7919) % 450) * 191_000);
      const click = { program_id: program.id, click_id: 'clk', is_test: 0, created_at: START } as const;
      await engine.write(program.id, async ({ db }) => {
        const values = times.map((click_at) => ({ ...click, click_at }));
        const rows = await db
          .insertInto('click_events')
          .values(values)
          .returning(['id', 'click_at'])
          .execute();
        all.push(...rows.map((row) => ({ type: 'click' as const, id: row.id, at: row.click_at })));
      });
      await rebuildTotals(runtime, program.id);
      const keys = expected(null, null, null);
      expect(await readAll(null, null, null, 90)).toEqual({ keys, total: keys.length });
      await engine.write(program.id, ({ db }) =>
        db.deleteFrom('daily_totals').where('partner_id', '=', -7).execute(),
      );
      expect(await readAll(null, null, null, 90)).toEqual({ keys, total: keys.length });
    });
  });
}

/**
 * Inserts three real events and one test event of each kind at each time. Lists must not show the test
 * events.
 */
async function addEvents({ engine, program }: World): Promise<Key[]> {
  return engine.write(program.id, async ({ db }) => {
    const keys: Key[] = [];
    const base = { program_id: program.id, created_at: START };
    const click = { ...base, click_id: 'clk' };
    const sale = {
      ...base,
      amount_cents: 100,
      currency: 'USD',
      sale_type: 'payment',
      payment_status: 'paid',
      is_recurring: 0,
    } as const;
    for (const [index, at] of TIMES.entries()) {
      for (const copy of [0, 1, 2, 3]) {
        const is_test = copy === 3 ? 1 : 0;
        const lead = { ...base, source: 'server', is_test, lead_at: at } as const;
        const rows = {
          click: await db
            .insertInto('click_events')
            .values({ ...click, is_test, click_at: at })
            .returning('id')
            .executeTakeFirstOrThrow(),
          lead: await db.insertInto('lead_events').values(lead).returning('id').executeTakeFirstOrThrow(),
          conversion: await db
            .insertInto('sales')
            .values({ ...sale, is_test, sale_at: at, processor_event_id: `t${index}-${copy}` })
            .returning('id')
            .executeTakeFirstOrThrow(),
        };
        if (is_test === 1) continue;
        for (const type of ['click', 'lead', 'conversion'] as const)
          keys.push({ type, id: rows[type].id, at });
      }
    }
    return keys;
  });
}
