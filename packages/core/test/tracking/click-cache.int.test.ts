import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { VISIT_FIELDS, type VisitFields } from '../../src/storage/database/click-columns.ts';
import { StaleCache } from '../../src/storage/database/click-store.ts';
import type { Transaction } from '../../src/storage/database/engine/engine.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { usesCitus } from '../support/citus-server.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { makeWorld, type World } from '../support/world.ts';

// A connection caches the links that it has read. It then sends each batch as one statement, which also
// checks that the cached links are current.
let url: string;
let world: World;
let otherConnection: pg.Client;

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  world = await makeWorld(postgresEngine({ connectionString: url }));
  otherConnection = new pg.Client({ connectionString: url });
  await otherConnection.connect();
  // Fills the cache.
  await world.click('anna');
});

afterEach(async () => {
  await world.affkit.close();
  await otherConnection.end();
  await dropDatabase(url);
});

const visit = (fields: Record<string, unknown> = {}) =>
  world.call('POST', '/api/v1/track/click', { affiliate_url: 'https://shop.example/?aff=anna', ...fields });

async function countRows(table: 'click_events' | 'customers' | 'click_keys'): Promise<number> {
  const { rows } = await otherConnection.query(`SELECT count(*)::int AS count FROM ${table}`);
  return rows[0].count;
}

async function countedClicks(): Promise<number> {
  const { rows } = await otherConnection.query(
    `SELECT sum(value)::int AS sum FROM counters WHERE subject = 'link' AND measure = 'clicks'`,
  );
  return rows[0].sum;
}

const CHANGES: readonly [string, string, boolean | undefined][] = [
  ['a link that was deactivated', `UPDATE links SET status = 'inactive' WHERE short_link = 'anna'`, false],
  ['a partner who was banned', `UPDATE partner_programs SET status = 'banned'`, false],
  ['a program that was deleted', 'UPDATE programs SET deleted_at = 1', undefined],
  // The service itself never deletes a code. On Citus, the test deletes the link instead of the code, because a
  // shard finds links by their id and cannot read `link_directory`.
  [
    'a link that was deleted',
    usesCitus ? 'DELETE FROM links' : `DELETE FROM link_directory WHERE short_link = 'anna'`,
    undefined,
  ],
  [
    'a link whose partner was erased',
    `UPDATE links SET partner_id = NULL WHERE short_link = 'anna'`,
    undefined,
  ],
  ['a program that requires an origin', 'UPDATE programs SET require_origin = 1', undefined],
];

// Batches of one visit use a different statement than larger batches.
describe.each([1, 2])('with a batch of %i', (count) => {
  test.each(CHANGES)('tracks no click with a stale cached link: %s', async (_what, change, success) => {
    await otherConnection.query(change);
    const replies = await Promise.all(Array.from({ length: count }, () => visit()));
    expect(replies.map(({ body }) => body['success'])).toEqual(Array(count).fill(success));
    expect([await countRows('click_events'), await countRows('customers'), await countedClicks()]).toEqual([
      1, 1, 1,
    ]);
  });

  test('stores nothing and clears the cache when a cached link is stale', async () => {
    const stale = world.engine.write('clicks', async (tx) => {
      const { cache, known, visits } = cached(tx);
      const codes = [{ code: 'anna', fingerprint: 'stale' }];
      cache.save({ ...visits, events: visits.events.slice(0, count) }, { ...known, codes });
    });
    await expect(stale).rejects.toThrow(StaleCache);
    expect(await stored()).toEqual(ONLY_FIRST_CLICK);
    const after = await world.engine.write('clicks', async (tx) => tx.clicks.cache?.get(['anna']));
    expect(after).toBe(null);
  });
});

test('returns the new spelling and cookie window after a cached link was changed', async () => {
  await otherConnection.query(`UPDATE links SET short_link = 'ANNA' WHERE short_link = 'anna'`);
  const respelled = await Promise.all([visit(), visit()]);
  expect(respelled.map(({ body }) => body['partner_code'])).toEqual(['ANNA', 'ANNA']);
  await otherConnection.query('UPDATE programs SET cookie_window_days = 7');
  const replies = await Promise.all([visit(), visit()]);
  expect(replies.map(({ body }) => body['cookie_window_days'])).toEqual([7, 7]);
  expect(await countRows('click_events')).toBe(5);
});

test('caches a code as unknown until a link with this code is created', async () => {
  const cachedFingerprints = () =>
    world.engine.write('clicks', async (tx) =>
      tx.clicks.cache?.get(['anna', 'dora'])?.codes.map(({ fingerprint }) => fingerprint),
    );
  expect(await cachedFingerprints()).toBe(undefined);
  const [dora] = await Promise.all([visit({ affiliate_url: 'https://shop.example/?aff=dora' }), visit()]);
  expect(dora?.body['code']).toBe('referral_link_not_found');
  // A shard of Citus cannot check that a code is still unknown, so unknown codes are not cached there.
  expect(await cachedFingerprints()).toEqual(usesCitus ? undefined : [expect.any(String), null]);
  await otherConnection.query(`INSERT INTO links (program_id, short_link, partner_id, status, created_at)
    SELECT program_id, 'dora', partner_id, 'active', 1 FROM links WHERE short_link = 'anna'`);
  const { rowCount } = await otherConnection.query(
    `INSERT INTO link_directory SELECT short_link, program_id, id FROM links WHERE short_link = 'dora'`,
  );
  expect(rowCount).toBe(1);
  const replies = await Promise.all([visit({ affiliate_url: 'https://shop.example/?aff=dora' }), visit()]);
  expect(replies.map(({ body }) => body['partner_code'])).toEqual(['dora', 'anna']);
});

test('replays the response of a repeated idempotency key in a batch with new keys', async () => {
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

// This test does not run on Citus, because Citus does not allow the triggers that the test creates. The statements on
// Citus have the same parts in the same order, so this test covers them too.
if (!usesCitus) {
  test('writes tables in the same order with one statement as with several, to avoid deadlocks', async () => {
    await otherConnection.query('CREATE TABLE touched (id bigserial, name text)');
    await otherConnection.query(`CREATE FUNCTION note_table() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO touched (name) VALUES (TG_TABLE_NAME); RETURN NULL; END $$`);
    const tables = ['click_keys', 'customers', 'click_events', 'counters', 'daily_totals'];
    for (const table of tables) {
      await otherConnection.query(`CREATE TRIGGER noted BEFORE INSERT ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION note_table()`);
    }
    const keyed = (key: string, fields = {}) =>
      visit({ additional_data: { idempotency_key: key }, ...fields });
    const tablesWrittenBy = async (clicks: () => Promise<unknown>) => {
      await otherConnection.query('DELETE FROM touched');
      await clicks();
      const { rows } = await otherConnection.query('SELECT name FROM touched ORDER BY id');
      return rows.map(({ name }) => name);
    };
    const known = await world.click('anna');
    expect(await tablesWrittenBy(() => keyed('a'))).toEqual(tables);
    expect(await tablesWrittenBy(() => Promise.all([keyed('d'), keyed('e')]))).toEqual(tables);
    const mixed = () => Promise.all([keyed('b', { existing_click_id: known }), keyed('c')]);
    expect(await tablesWrittenBy(mixed)).toEqual(tables);
  });
}

test('responses match the stored clicks while a link is activated and deactivated repeatedly', async () => {
  let isOver = false;
  const toggling = (async () => {
    for (let turn = 0; !isOver; turn++) {
      await otherConnection.query(`UPDATE links SET status = $1 WHERE short_link = 'anna'`, [
        turn % 2 ? 'active' : 'inactive',
      ]);
    }
  })();
  let tracked = 1;
  let rejected = 0;
  for (let round = 0; round < 60; round++) {
    const replies = await Promise.all(Array.from({ length: 8 }, () => visit()));
    const taken = replies.filter(({ body }) => body['success'] === true).length;
    tracked += taken;
    rejected += replies.length - taken;
  }
  isOver = true;
  await toggling;
  expect([tracked > 1, rejected > 0]).toEqual([true, true]);
  expect([await countRows('click_events'), await countRows('customers'), await countedClicks()]).toEqual([
    tracked,
    tracked,
    tracked,
  ]);
});

/** Returns a visit with a value for each field. */
function visitOf(value: (field: string) => string | null): VisitFields {
  return Object.fromEntries(VISIT_FIELDS.map((field) => [field, value(field)])) as VisitFields;
}

/** Returns the link cache and two visits of new visitors through a cached link. */
function cached(tx: Transaction) {
  const { cache } = tx.clicks;
  const known = cache?.get(['anna']);
  const [link] = known?.links ?? [];
  if (!cache || !known || !link) throw new Error('The link is not cached');
  const { programId, linkId, partnerId } = link;
  const at = 1_700_000_000_000;
  const event = { ...visitOf(() => null), customerId: null, programId, linkId, partnerId, at };
  const events = ['clk_1', 'clk_2'].map((clickId) => ({ ...event, clickId }));
  const keys = [{ programId, linkId, key: 'k', reply: '{}' }];
  return { cache, known, visits: { events, keys, now: at } };
}

async function stored(): Promise<number[]> {
  return [
    await countRows('click_events'),
    await countRows('customers'),
    await countRows('click_keys'),
    await countedClicks(),
  ];
}

const ONLY_FIRST_CLICK = [1, 1, 0, 1];

test('stores visits with their customers and keys in one statement', async () => {
  await world.engine.write('clicks', async (tx) => {
    const { cache, known, visits } = cached(tx);
    cache.save(visits, known);
  });
  expect(await stored()).toEqual([3, 3, 1, 3]);
  const { rows } = await otherConnection.query(
    `SELECT c.click_id FROM customers c
      JOIN click_events e ON e.program_id = c.program_id AND e.customer_id = c.id AND e.click_id = c.click_id`,
  );
  expect(rows).toHaveLength(3);
});

test('stores visits with prepared statements, with and without keys, for one visit and for several', async () => {
  const keyed = (key: string) => visit({ additional_data: { idempotency_key: key } });
  const storeVisits = async (round: string) => {
    await visit();
    await keyed(`${round} a`);
    await Promise.all([visit(), visit()]);
    await Promise.all([keyed(`${round} b`), keyed(`${round} c`)]);
  };
  await storeVisits('first');
  const query = vi.spyOn(pg.Client.prototype, 'query');
  await storeVisits('second');
  const statements: unknown[] = query.mock.calls.map(([statement]) => statement);
  query.mockRestore();
  const wholeTransactions = statements.filter((statement) =>
    JSON.stringify(statement).includes('commit_markers'),
  );
  expect(wholeTransactions).toEqual(Array(4).fill(expect.objectContaining({ name: expect.any(String) })));
  const names = new Set(wholeTransactions.map((statement) => JSON.stringify(Object(statement).name)));
  // On Citus, one prepared statement sends all four statements to the shard.
  expect(names.size).toBe(usesCitus ? 1 : 4);
});

test('stores a single visit with the same fields as a visit in a batch', async () => {
  const full = visitOf((field) => (field === 'details' ? '{"language":"de"}' : `the ${field}`));
  const save = (names: readonly string[]) =>
    world.engine.write('clicks', async (tx) => {
      const { cache, known, visits } = cached(tx);
      const [event] = visits.events;
      const [key] = visits.keys;
      if (!event || !key) throw new Error('The visit is missing');
      const events = names.map((clickId) => ({ ...event, ...full, clickId }));
      const keys = names.map((name) => ({ ...key, key: name }));
      cache.save({ ...visits, events, keys }, known);
    });
  await save(['single']);
  await save(['first', 'second']);
  const rowsOf = async (columns: string, from: string) => {
    const { rows } = await otherConnection.query(`SELECT ${columns} FROM ${from}`);
    return rows.map(({ row: { id, customer_id, click_id, key, ...row } }) => row);
  };
  for (const [table, named] of [
    ['click_events', 'click_id'],
    ['customers', 'click_id'],
    ['click_keys', 'key'],
  ] as const) {
    const rows = await rowsOf(
      'to_jsonb(t) AS row',
      `${table} t WHERE ${named} IN ('single', 'first', 'second')`,
    );
    expect(rows).toEqual(Array(3).fill(rows[0]));
  }
  expect(await stored()).toEqual([4, 4, 3, 4]);
});

test('does not use the cache in a transaction that has already begun', async () => {
  const found = world.engine.write('clicks', async (tx) => {
    await tx.clicks.load(['anna'], []);
    return tx.clicks.cache?.get(['anna']);
  });
  expect(await found).toBe(null);
});

test('stores nothing when the unit of work fails or writes anything else', async () => {
  const failing = world.engine.write('clicks', async (tx) => {
    const { cache, known, visits } = cached(tx);
    cache.save(visits, known);
    throw new Error('the work failed');
  });
  await expect(failing).rejects.toThrow('the work failed');
  const writingMore = world.engine.write('clicks', async (tx) => {
    const { cache, known, visits } = cached(tx);
    cache.save(visits, known);
    await tx.clicks.save({ customers: [], touches: [], events: visits.events, now: visits.now });
  });
  await expect(writingMore).rejects.toThrow('This transaction consists of a single statement');
  expect(await stored()).toEqual(ONLY_FIRST_CLICK);
});
