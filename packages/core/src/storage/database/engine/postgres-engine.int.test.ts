import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { createMigratedDatabase, dropDatabase } from '../../../../test/support/postgres-server.ts';
import { waitUntil } from '../../../../test/support/wait-until.ts';
import { Unavailable } from '../../../rejection.ts';
import { postgresEngine } from '../../postgres.ts';
import { deleteExpired } from '../expiry.ts';
import type { Engine, Transaction } from './engine.ts';

let url: string;
let engine: Engine;

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  engine = postgresEngine({ connectionString: url });
  await engine.write(0, async (tx) => {
    await sql`CREATE TABLE things (name TEXT UNIQUE, n INT)`.execute(tx.db);
    await sql`INSERT INTO things VALUES ('x', 0), ('y', 0)`.execute(tx.db);
  });
});

afterEach(async () => {
  await engine.close();
  await dropDatabase(url);
});

const LANES = [0, 1, 2, 'clicks'] as const;

const query = async <R>(tx: Pick<Transaction, 'db'>, text: string) =>
  (await sql.raw<R>(text).execute(tx.db)).rows;
const queryPool = async <R>(text: string) => (await sql.raw<R>(text).execute(engine.read)).rows;
const increment = (tx: Transaction, name: string) =>
  sql`UPDATE things SET n = n + 1 WHERE name = ${name}`.execute(tx.db);
const backendPid = (lane: number | 'clicks') =>
  engine.write(
    lane,
    async (tx) => (await query<{ pid: number }>(tx, 'SELECT pg_backend_pid() AS pid'))[0]?.pid,
  );

test('runs the units of work of a lane one by one across processes, while other lanes continue', async () => {
  const other = postgresEngine({ connectionString: url });
  const order: string[] = [];
  const end = Promise.withResolvers<void>();
  const first = engine.write(7, async (tx) => {
    await increment(tx, 'x');
    order.push('first begins');
    await end.promise;
    order.push('first ends');
  });
  await waitUntil(() => order.length === 1);
  const second = other.write(7, async (tx) => {
    await increment(tx, 'x');
    order.push('second');
  });
  const blockedLocks = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
  await waitUntil(async () => (await queryPool(blockedLocks)).length === 1);
  await other.write(8, async (tx) => {
    await increment(tx, 'y');
    order.push('another lane');
  });
  await other.write('clicks', async (tx) => {
    await increment(tx, 'y');
    order.push('clicks');
  });
  end.resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(['first begins', 'another lane', 'clicks', 'first ends', 'second']);
  await other.close();
});

test.each(LANES)(
  'lane %s rejects with the error of BEGIN, not with a later error that BEGIN caused',
  async (lane) => {
    await queryPool(`CREATE FUNCTION report_full_disk() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'disk full' USING ERRCODE = '53100'; END $$`);
    await queryPool(
      'CREATE TRIGGER full_disk BEFORE INSERT ON commit_markers EXECUTE FUNCTION report_full_disk()',
    );
    const writing = engine.write(lane, async (tx) => {
      await query(tx, 'SELECT 1');
      await increment(tx, 'x');
    });
    await expect(writing).rejects.toBeInstanceOf(Unavailable);
    await queryPool('DROP TRIGGER full_disk ON commit_markers');
    await engine.write(lane, (tx) => increment(tx, 'y'));
    expect(await queryPool('SELECT name, n FROM things ORDER BY name')).toEqual([
      { name: 'x', n: 0 },
      { name: 'y', n: 1 },
    ]);
  },
);

test('commits batches of two processes that lock the same rows in opposite orders', async () => {
  const other = postgresEngine({ connectionString: url });
  const writeAll = (to: Engine, names: readonly string[]) =>
    Array.from({ length: 200 }, (_, i) => to.write(7, (tx) => increment(tx, names[i % 2] ?? '')));
  await Promise.all([...writeAll(engine, ['x', 'y']), ...writeAll(other, ['y', 'x'])]);
  expect(await queryPool('SELECT name, n FROM things ORDER BY name')).toEqual([
    { name: 'x', n: 200 },
    { name: 'y', n: 200 },
  ]);
  await other.close();
});

describe('connections', () => {
  test('uses one connection per lane and always the same lane for a workspace', async () => {
    const pids = await Promise.all([0, 1, 2, 'clicks' as const, 3, 4, 5, 0].map((lane) => backendPid(lane)));
    const [first, second, third, clicks] = pids;
    expect(new Set([first, second, third, clicks]).size).toBe(4);
    expect(pids).toEqual([first, second, third, clicks, first, second, third, first]);
  });

  test('reopens connections that the server closes while they are idle', async () => {
    const before = await Promise.all(LANES.map(backendPid));
    await Promise.all([1, 2, 3].map(() => queryPool('SELECT 1')));
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`);
    await client.end();
    const after = await Promise.all(LANES.map(backendPid));
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    expect(await queryPool('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test.each(LANES)(
    'lane %s reopens a connection that the server closes during a transaction',
    async (lane) => {
      let runs = 0;
      const writes = ['x', 'y', 'x'].map((name, index) =>
        engine.write(lane, async (tx) => {
          await increment(tx, name);
          if (index !== 1) return index;
          runs += 1;
          if (runs === 1) await query(tx, 'SELECT pg_terminate_backend(pg_backend_pid())');
          return index;
        }),
      );
      expect(await Promise.all(writes)).toEqual([0, 1, 2]);
      expect(await queryPool('SELECT name, n FROM things ORDER BY name')).toEqual([
        { name: 'x', n: 2 },
        { name: 'y', n: 1 },
      ]);
    },
  );

  test('retries a read even if the server has closed every connection of the pool', async () => {
    const other = postgresEngine({ connectionString: url, maxReads: 3 });
    const terminated = new Set<number>();
    const locked = Promise.withResolvers<void>();
    const unlock = Promise.withResolvers<void>();
    const holding = engine.write(0, async (tx) => {
      await query(tx, 'SELECT pg_advisory_xact_lock(7)');
      locked.resolve();
      await unlock.promise;
    });
    // Wait until the write has the lock. Otherwise, the read could get the lock first, and the test would
    // terminate the write instead.
    await locked.promise;
    let isRejected = false;
    const read = sql<{ n: number }>`SELECT 1 AS n FROM pg_advisory_lock_shared(7)`.execute(other.read);
    read.catch(() => {
      isRejected = true;
    });
    await waitUntil(async () => {
      const waiting = await queryPool<{
        pid: number;
      }>(`SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event = 'advisory'`);
      for (const { pid } of waiting) terminated.add(pid);
      return isRejected || terminated.size === 5;
    });
    unlock.resolve();
    await holding;
    expect((await read).rows).toEqual([{ n: 1 }]);
    await other.close();
  });

  test('close() closes every connection and may be called twice', async () => {
    const other = postgresEngine({ connectionString: url });
    await Promise.all([
      ...LANES.map((lane) => other.write(lane, (tx) => query(tx, 'SELECT 1'))),
      other.migrate(),
    ]);
    await other.read.selectFrom('users').select('id').execute();
    await Promise.all([other.close(), other.close()]);
    const ownPids = (await Promise.all(LANES.map(backendPid))).join(', ');
    await waitUntil(async () => {
      // Ignore the maintenance process of Citus, and the connections of the coordinator to itself.
      const others = await queryPool(`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND pid NOT IN (pg_backend_pid(), ${ownPids})
          AND backend_type = 'client backend' AND application_name NOT LIKE 'citus_internal%'`);
      return others.length === 0;
    });
    const calls = [
      other.write(1, async () => {}),
      other.read.selectFrom('users').select('id').execute(),
      other.migrate(),
    ];
    for (const call of calls) await expect(call).rejects.toThrow(Unavailable);
  });

  test.each([
    ['a closed port', { port: '1' }, /127\.0\.0\.1:1, database "test_\w+": .*ECONNREFUSED/],
    ['a wrong password', { password: 'wrong' }, /password authentication failed/],
    ['a missing database', { pathname: 'missing' }, /database "missing" does not exist/],
  ])('reports %s in an error that gives the reason but not the password', async (_case, change, message) => {
    const address = Object.assign(new URL(url), change);
    const other = postgresEngine({ connectionString: address.href, reconnectTimeoutMs: 0 });
    const results = await Promise.allSettled([
      ...LANES.map((lane) => other.write(lane, async () => {})),
      other.read.selectFrom('users').select('id').execute(),
      other.migrate(),
    ]);
    for (const result of results) {
      expect(result).toEqual({ status: 'rejected', reason: expect.any(Unavailable) });
      const { message: text } = (result as PromiseRejectedResult).reason as Error;
      expect(text).toMatch(message);
      expect(text).not.toContain(address.password);
    }
    await other.close();
  });
});

describe('transactions', () => {
  test.each(LANES)(
    'lane %s and reads keep working after another process has altered a table',
    async (lane) => {
      const readAll = async () => [
        await queryPool('SELECT * FROM things ORDER BY name'),
        await engine.write(lane, async (tx) => {
          await increment(tx, 'x');
          return await query(tx, 'SELECT * FROM things ORDER BY name');
        }),
      ];
      const other = postgresEngine({ connectionString: url });
      await readAll();
      await other.write(0, (tx) =>
        sql`ALTER TABLE things ADD COLUMN more INT NOT NULL DEFAULT 7`.execute(tx.db),
      );
      await other.close();
      expect(await readAll()).toEqual([
        [
          { name: 'x', n: 1, more: 7 },
          { name: 'y', n: 0, more: 7 },
        ],
        [
          { name: 'x', n: 2, more: 7 },
          { name: 'y', n: 0, more: 7 },
        ],
      ]);
    },
  );

  test.each(LANES)(
    'lane %s rejects a unit of work that ignores a database error, and stores none of its rows',
    async (lane) => {
      const writing = engine.write(lane, async (tx) => {
        await increment(tx, 'x');
        await sql`INSERT INTO things VALUES ('x', 0)`.execute(tx.db).catch(() => {});
        return 'done';
      });
      await expect(writing).rejects.toThrow('rolled back');
      expect(await queryPool(`SELECT n FROM things WHERE name = 'x'`)).toEqual([{ n: 0 }]);
      await engine.write(lane, (tx) => increment(tx, 'x'));
      expect(await queryPool(`SELECT n FROM things WHERE name = 'x'`)).toEqual([{ n: 1 }]);
    },
  );

  test('commits both units of work after a deadlock between two lanes', async () => {
    const locked = { x: Promise.withResolvers<void>(), y: Promise.withResolvers<void>() };
    const incrementBoth = (first: 'x' | 'y', second: 'x' | 'y') => async (tx: Transaction) => {
      await increment(tx, first);
      locked[first].resolve();
      await locked[second].promise;
      await increment(tx, second);
    };
    await Promise.all([engine.write(0, incrementBoth('x', 'y')), engine.write(1, incrementBoth('y', 'x'))]);
    expect(await queryPool('SELECT n FROM things')).toEqual([{ n: 2 }, { n: 2 }]);
  });

  test('stores a commit marker for one hour if a transaction writes, and none if it only reads', async () => {
    const markers = () => queryPool('SELECT id FROM commit_markers');
    const before = (await markers()).length;
    await engine.write(1, (tx) => query(tx, 'SELECT 1'));
    expect(await markers()).toHaveLength(before);
    await engine.write(1, (tx) => increment(tx, 'x'));
    expect(await markers()).toHaveLength(before + 1);

    const expiry = {
      clickKeysBefore: 0,
      sessionsBefore: 0,
      invitesBefore: 0,
      loginFailuresBefore: 0,
      emailsBefore: 0,
      webhooksBefore: 0,
      bulkRequestsBefore: 0,
    };
    await engine.write('clicks', async (tx) => {
      await query(tx, `UPDATE commit_markers SET created_at = created_at - 3500000 RETURNING id`);
      await query(
        tx,
        `INSERT INTO commit_markers
        SELECT 'old', (extract(epoch FROM now()) * 1000)::bigint - 3700000`,
      );
      await deleteExpired(tx, expiry);
    });
    // One marker is from the increment. The other is from the transaction above, because it wrote rows too.
    expect(await markers()).toHaveLength(before + 2);
    expect(await queryPool(`SELECT id FROM commit_markers WHERE id = 'old'`)).toEqual([]);
  });
});

test('assigns a different counter slot to each process until all slots are taken', async () => {
  const others = Array.from({ length: 16 }, () => postgresEngine({ connectionString: url, lanes: 1 }));
  const slots = [];
  for (const each of [engine, ...others]) slots.push(await each.write(1, async (tx) => tx.slot));
  const last = slots.pop();
  const all = Array.from({ length: 16 }, (_, slot) => slot);
  expect(slots.sort((a, b) => a - b)).toEqual(all);
  expect(last).toBeOneOf(all);
  await Promise.all(others.map((other) => other.close()));
});

test('assigns the same counter slot to all lanes of a process, even after a lost connection', async () => {
  const slotOf = (lane: (typeof LANES)[number]) => engine.write(lane, async (tx) => tx.slot);
  expect(new Set(await Promise.all(LANES.map(slotOf))).size).toBe(1);
  const lost = engine.write('clicks', (tx) => query(tx, 'SELECT pg_terminate_backend(pg_backend_pid())'));
  await expect(lost).rejects.toThrow(Unavailable);
  expect(new Set(await Promise.all(LANES.map(slotOf))).size).toBe(1);
});

test("type parsers of the engine and of the host application don't affect each other", async () => {
  const parse = pg.types.getTypeParser(20);
  pg.types.setTypeParser(20, () => 'host');
  try {
    expect(await queryPool('SELECT 7::bigint AS n, 2.5::numeric AS half, true AS yes')).toEqual([
      { n: 7, half: 2.5, yes: true },
    ]);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    expect((await client.query('SELECT 7::bigint AS n')).rows).toEqual([{ n: 'host' }]);
    await client.end();
  } finally {
    pg.types.setTypeParser(20, parse);
  }
});
