import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { StaleCache } from '../../src/storage/database/click-store.ts';
import type { Transaction } from '../../src/storage/database/engine/engine.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { makeWorld, type World } from '../support/world.ts';

// Links that a connection has read once are not read again: the batch is sent with a test of what is remembered.
let url: string;
let world: World;
let other: pg.Client;

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  world = await makeWorld(postgresEngine({ connectionString: url }));
  other = new pg.Client({ connectionString: url });
  await other.connect();
  // Everything is remembered from here on.
  await world.click('anna');
});

afterEach(async () => {
  await world.affkit.close();
  await other.end();
  await dropDatabase(url);
});

const visit = (fields: Record<string, unknown> = {}) =>
  world.call('POST', '/api/v1/track/click', { affiliate_url: 'https://shop.example/?aff=anna', ...fields });

async function countRows(table: 'click_events' | 'customers' | 'click_keys'): Promise<number> {
  const { rows } = await other.query(`SELECT count(*)::int AS count FROM ${table}`);
  return rows[0].count;
}

async function countedClicks(): Promise<number> {
  const { rows } = await other.query(
    `SELECT sum(value)::int AS sum FROM counters WHERE subject = 'link' AND measure = 'clicks'`,
  );
  return rows[0].sum;
}

const CHANGES: readonly [string, string, boolean | undefined][] = [
  ['a link that was closed', `UPDATE links SET status = 'inactive' WHERE short_link = 'anna'`, false],
  ['a partner who was banned', `UPDATE partner_programs SET status = 'banned'`, false],
  ['a program that was deleted', 'UPDATE programs SET deleted_at = 1', undefined],
  ['a link that is gone', `DELETE FROM link_directory WHERE short_link = 'anna'`, undefined],
  [
    'a link whose partner was erased',
    `UPDATE links SET partner_id = NULL WHERE short_link = 'anna'`,
    undefined,
  ],
];

// A visit alone has a statement of its own.
describe.each([1, 2])('of %i at once', (count) => {
  test.each(CHANGES)(
    '%s meanwhile takes no click, whatever is remembered',
    async (_what, change, success) => {
      await other.query(change);
      const replies = await Promise.all(Array.from({ length: count }, () => visit()));
      expect(replies.map(({ body }) => body['success'])).toEqual(Array(count).fill(success));
      expect([await countRows('click_events'), await countRows('customers'), await countedClicks()]).toEqual([
        1, 1, 1,
      ]);
    },
  );

  test('where a link is not as it is remembered nothing is stored, and nothing is remembered any more', async () => {
    const outdated = world.engine.write('clicks', async (tx) => {
      const { memory, known, visits } = remembered(tx);
      const codes = [{ shortLink: 'anna', fingerprint: 'of another time' }];
      memory.save({ ...visits, events: visits.events.slice(0, count) }, { ...known, codes });
    });
    await expect(outdated).rejects.toThrow(StaleCache);
    expect(await stored()).toEqual(FIRST_CLICK_ALONE);
    const after = await world.engine.write('clicks', async (tx) => tx.clicks.cache?.get(['anna']));
    expect(after).toBe(null);
  });
});

test('a program whose cookie window was changed meanwhile answers the new one', async () => {
  await other.query('UPDATE programs SET cookie_window_days = 7');
  const replies = await Promise.all([visit(), visit()]);
  expect(replies.map(({ body }) => body['cookie_window_days'])).toEqual([7, 7]);
  expect(await countRows('click_events')).toBe(3);
});

test('a code that nobody has keeps no batch from being decided by what is remembered, until somebody has it', async () => {
  const recalled = () =>
    world.engine.write('clicks', async (tx) =>
      tx.clicks.cache?.get(['anna', 'dora'])?.codes.map(({ fingerprint }) => fingerprint),
    );
  expect(await recalled()).toBe(undefined);
  const [dora] = await Promise.all([visit({ affiliate_url: 'https://shop.example/?aff=dora' }), visit()]);
  expect(dora?.body['code']).toBe('referral_link_not_found');
  expect(await recalled()).toEqual([expect.any(String), null]);
  const { rows } = await other.query(
    `WITH made AS (INSERT INTO links (program_id, short_link, partner_id, status, created_at)
       SELECT program_id, 'dora', partner_id, 'active', 1 FROM links WHERE short_link = 'anna' RETURNING *)
     INSERT INTO link_directory SELECT short_link, program_id, id FROM made RETURNING link_id`,
  );
  expect(rows).toHaveLength(1);
  const replies = await Promise.all([visit({ affiliate_url: 'https://shop.example/?aff=dora' }), visit()]);
  expect(replies.map(({ body }) => body['partner_code'])).toEqual(['dora', 'anna']);
});

test('a key that was answered before is answered so again, beside new ones', async () => {
  const keyed = (key: string) => visit({ additional_data: { idempotency_key: key } });
  const first = await keyed('a');
  const again = await Promise.all([keyed('b'), keyed('a'), keyed('c'), keyed('a')]);
  const idOf = ({ body }: typeof first) => body['click_id'];
  expect([again[1], again[3]].map((reply) => reply && idOf(reply))).toEqual([idOf(first), idOf(first)]);
  expect(new Set(again.map(idOf)).size).toBe(3);
  expect([await countRows('click_events'), await countRows('click_keys'), await countedClicks()]).toEqual([
    4, 3, 4,
  ]);
});

test('one statement and several lock rows in the same order, so that none of two processes waits in a ring', async () => {
  await other.query('CREATE TABLE touched (id bigserial, name text)');
  await other.query(`CREATE FUNCTION note_table() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO touched (name) VALUES (TG_TABLE_NAME); RETURN NULL; END $$`);
  const tables = ['click_keys', 'customers', 'click_events', 'counters', 'daily_totals'];
  for (const table of tables) {
    await other.query(`CREATE TRIGGER noted BEFORE INSERT ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION note_table()`);
  }
  const keyed = (key: string, fields = {}) => visit({ additional_data: { idempotency_key: key }, ...fields });
  const touchedBy = async (clicks: () => Promise<unknown>) => {
    await other.query('DELETE FROM touched');
    await clicks();
    const { rows } = await other.query('SELECT name FROM touched ORDER BY id');
    return rows.map(({ name }) => name);
  };
  const known = await world.click('anna');
  expect(await touchedBy(() => keyed('a'))).toEqual(tables);
  expect(await touchedBy(() => Promise.all([keyed('d'), keyed('e')]))).toEqual(tables);
  const beside = () => Promise.all([keyed('b', { existing_click_id: known }), keyed('c')]);
  expect(await touchedBy(beside)).toEqual(tables);
});

test('while a link is opened and closed again and again, what is answered is what is stored', async () => {
  let isOver = false;
  const toggling = (async () => {
    for (let turn = 0; !isOver; turn++) {
      await other.query(`UPDATE links SET status = $1 WHERE short_link = 'anna'`, [
        turn % 2 ? 'active' : 'inactive',
      ]);
    }
  })();
  let tracked = 1;
  let refused = 0;
  for (let round = 0; round < 60; round++) {
    const replies = await Promise.all(Array.from({ length: 8 }, () => visit()));
    const taken = replies.filter(({ body }) => body['success'] === true).length;
    tracked += taken;
    refused += replies.length - taken;
  }
  isOver = true;
  await toggling;
  expect([tracked > 1, refused > 0]).toEqual([true, true]);
  expect([await countRows('click_events'), await countRows('customers'), await countedClicks()]).toEqual([
    tracked,
    tracked,
    tracked,
  ]);
});

/** Visits of two people, and the link as it is remembered. */
function remembered(tx: Transaction) {
  const { cache: memory } = tx.clicks;
  const known = memory?.get(['anna']);
  const [link] = known?.links ?? [];
  if (!memory || !known || !link) throw new Error('The link is not remembered');
  const { programId, linkId, partnerId } = link;
  const at = 1_700_000_000_000;
  const unknown = { sessionId: null, pageUrl: null, referrerUrl: null, details: null, customerId: null };
  const place = { geoCountry: null, geoRegion: null, geoCity: null };
  const device = { deviceType: null, deviceOs: null, browserName: null };
  const events = ['clk_1', 'clk_2'].map((clickId) => ({
    ...{ ...unknown, ...place, ...device },
    ...{ programId, linkId, partnerId, clickId, at },
  }));
  const keys = [{ programId, linkId, key: 'k', answer: '{}' }];
  return { memory, known, visits: { events, keys, now: at } };
}

async function stored(): Promise<number[]> {
  return [
    await countRows('click_events'),
    await countRows('customers'),
    await countRows('click_keys'),
    await countedClicks(),
  ];
}

const FIRST_CLICK_ALONE = [1, 1, 0, 1];

test('visits, their customers and keys are stored by one statement', async () => {
  await world.engine.write('clicks', async (tx) => {
    const { memory, known, visits } = remembered(tx);
    memory.save(visits, known);
  });
  expect(await stored()).toEqual([3, 3, 1, 3]);
  const { rows } = await other.query(
    'SELECT c.click_id FROM customers c JOIN click_events e ON e.customer_id = c.id AND e.click_id = c.click_id',
  );
  expect(rows).toHaveLength(3);
});

test('that statement is prepared, with keys and without, for one and for many: it takes longer to plan than to run', async () => {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const keyed = (key: string) => visit({ additional_data: { idempotency_key: key } });
  await visit();
  await keyed('a');
  await Promise.all([visit(), visit()]);
  await Promise.all([keyed('b'), keyed('c')]);
  const sent: unknown[] = query.mock.calls.map(([statement]) => statement);
  query.mockRestore();
  const whole = sent.filter((statement) => JSON.stringify(statement).includes('commit_markers'));
  expect(whole).toEqual(Array(4).fill(expect.objectContaining({ name: expect.any(String) })));
  expect(new Set(whole.map((statement) => JSON.stringify(Object(statement).name))).size).toBe(4);
});

test('a visit alone is stored as it is among others, field by field', async () => {
  const full = {
    ...{ sessionId: 's', pageUrl: 'p', referrerUrl: 'r', geoCountry: 'c', geoRegion: 'g', geoCity: 'y' },
    ...{ deviceType: 't', deviceOs: 'o', browserName: 'b', details: '{"language":"de"}' },
  };
  const save = (names: readonly string[]) =>
    world.engine.write('clicks', async (tx) => {
      const { memory, known, visits } = remembered(tx);
      const [event] = visits.events;
      const [key] = visits.keys;
      if (!event || !key) throw new Error('There is no visit');
      const events = names.map((clickId) => ({ ...event, ...full, clickId }));
      const keys = names.map((name) => ({ ...key, key: name }));
      memory.save({ ...visits, events, keys }, known);
    });
  await save(['alone']);
  await save(['among', 'others']);
  const rowsOf = async (columns: string, from: string) => {
    const { rows } = await other.query(`SELECT ${columns} FROM ${from}`);
    return rows.map(({ row: { id, customer_id, click_id, key, ...row } }) => row);
  };
  for (const [table, named] of [
    ['click_events', 'click_id'],
    ['customers', 'click_id'],
    ['click_keys', 'key'],
  ] as const) {
    const rows = await rowsOf(
      'to_jsonb(t) AS row',
      `${table} t WHERE ${named} IN ('alone', 'among', 'others')`,
    );
    expect(rows).toEqual(Array(3).fill(rows[0]));
  }
  expect(await stored()).toEqual([4, 4, 3, 4]);
});

test('nothing is remembered for a transaction that has begun', async () => {
  const recalled = world.engine.write('clicks', async (tx) => {
    await tx.clicks.load(['anna'], []);
    return tx.clicks.cache?.get(['anna']);
  });
  expect(await recalled).toBe(null);
});

test('a work that fails, or writes more, stores nothing of its visits', async () => {
  const failing = world.engine.write('clicks', async (tx) => {
    const { memory, known, visits } = remembered(tx);
    memory.save(visits, known);
    throw new Error('of its own');
  });
  await expect(failing).rejects.toThrow('of its own');
  const writingMore = world.engine.write('clicks', async (tx) => {
    const { memory, known, visits } = remembered(tx);
    memory.save(visits, known);
    await tx.clicks.save({ customers: [], touches: [], events: visits.events, now: visits.now });
  });
  await expect(writingMore).rejects.toThrow('a single statement is the entire transaction');
  expect(await stored()).toEqual(FIRST_CLICK_ALONE);
});
