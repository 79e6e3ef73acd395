import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { OutdatedMemory } from '../src/storage/clicks.ts';
import { PostgresClickStore } from '../src/storage/clicks-postgres.ts';
import { postgresEngine } from '../src/storage/engine/postgres.ts';
import { createMigratedDatabase, dropDatabase } from './postgres-server.ts';
import { makeWorld, type World } from './world.ts';

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

test.each([
  ['a link that was closed', `UPDATE links SET status = 'inactive' WHERE short_link = 'anna'`, false],
  ['a partner who was banned', `UPDATE partner_programs SET status = 'banned'`, false],
  ['a program that was deleted', 'UPDATE programs SET deleted_at = 1', undefined],
  ['a link that is gone', `DELETE FROM link_directory WHERE short_link = 'anna'`, undefined],
  [
    'a link whose partner was erased',
    `UPDATE links SET partner_id = NULL WHERE short_link = 'anna'`,
    undefined,
  ],
])('%s meanwhile takes no click, whatever is remembered', async (_what, change, success) => {
  await other.query(change);
  const replies = await Promise.all([visit(), visit(), visit()]);
  expect(replies.map(({ body }) => body['success'])).toEqual([success, success, success]);
  expect([await countRows('click_events'), await countRows('customers'), await countedClicks()]).toEqual([
    1, 1, 1,
  ]);
});

test('a program whose cookie window was changed meanwhile answers the new one', async () => {
  await other.query('UPDATE programs SET cookie_window_days = 7');
  const replies = await Promise.all([visit(), visit()]);
  expect(replies.map(({ body }) => body['cookie_window_days'])).toEqual([7, 7]);
  expect(await countRows('click_events')).toBe(3);
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

test('outside of a transaction the statements that do not wait for one store nothing', async () => {
  const store = new PostgresClickStore(
    (text, values) => other.query(text, [...values]),
    { value: 0 },
    async (answers) => void (await answers),
  );
  const { links } = await store.load(['anna'], []);
  const remembered = store.memory.recall(['anna']);
  const [link] = links;
  if (!remembered || !link) throw new Error('The link is not remembered');
  const at = 1_700_000_000_000;
  const { programId, linkId, partnerId } = link;
  const customer = { programId, clickId: 'clk_outside', partnerId: 1, linkId, at };
  const event = {
    ...{
      sessionId: null,
      pageUrl: null,
      referrerUrl: null,
      geoCountry: null,
      geoRegion: null,
      geoCity: null,
    },
    ...{ deviceType: null, deviceOs: null, browserName: null, details: null, customerId: null },
    ...{ programId, clickId: customer.clickId, linkId, partnerId: partnerId ?? 1, at },
  };
  const batch = { customers: [customer], touches: [], events: [event], now: at };
  const keys = [{ programId, linkId, key: 'k', answer: '{}' }];
  await store.memory.save(batch, keys, remembered);
  expect([
    await countRows('click_events'),
    await countRows('customers'),
    await countRows('click_keys'),
    await countedClicks(),
  ]).toEqual([1, 1, 0, 1]);

  await other.query('BEGIN');
  await other.query('INSERT INTO commit_markers (id, created_at) VALUES ($1, 1)', ['marker']);
  await store.memory.save(batch, keys, remembered);
  await other.query('COMMIT');
  expect([await countRows('click_events'), await countRows('click_keys'), await countedClicks()]).toEqual([
    2, 1, 2,
  ]);

  await expect(
    store.memory.save(batch, [], { ...remembered, fingerprints: ['of another time'] }),
  ).rejects.toThrow(OutdatedMemory);
  expect(store.memory.recall(['anna'])).toBe(null);
});
