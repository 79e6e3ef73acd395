import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { createDatabase, dropDatabase } from '../../../../test/support/postgres-server.ts';
import { until } from '../../../../test/support/until.ts';
import { Unavailable } from '../../../rejection.ts';
import { postgresEngine } from '../../postgres.ts';
import { deleteExpired } from '../expiry.ts';
import type { Engine, Transaction } from './engine.ts';

let url: string;
let engine: Engine;

beforeEach(async () => {
  url = await createDatabase(inject('postgresUrl'));
  engine = postgresEngine({ connectionString: url });
  await engine.migrate();
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

const ask = async <R>(tx: Pick<Transaction, 'db'>, text: string) =>
  (await sql.raw<R>(text).execute(tx.db)).rows;
const onPool = async <R>(text: string) => (await sql.raw<R>(text).execute(engine.read)).rows;
const add = (tx: Transaction, name: string) =>
  sql`UPDATE things SET n = n + 1 WHERE name = ${name}`.execute(tx.db);
const backend = (lane: number | 'clicks') =>
  engine.write(
    lane,
    async (tx) => (await ask<{ pid: number }>(tx, 'SELECT pg_backend_pid() AS pid'))[0]?.pid,
  );

test('works of one lane take turns in all processes, and nothing else waits for them', async () => {
  const other = postgresEngine({ connectionString: url });
  const order: string[] = [];
  const end = Promise.withResolvers<void>();
  const held = engine.write(7, async (tx) => {
    await add(tx, 'x');
    order.push('first begins');
    await end.promise;
    order.push('first ends');
  });
  await until(() => order.length === 1);
  const same = other.write(7, async (tx) => {
    await add(tx, 'x');
    order.push('second');
  });
  const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
  await until(async () => (await onPool(waiting)).length === 1);
  await other.write(8, async (tx) => {
    await add(tx, 'y');
    order.push('another lane');
  });
  await other.write('clicks', async (tx) => {
    await add(tx, 'y');
    order.push('clicks');
  });
  end.resolve();
  await Promise.all([held, same]);
  expect(order).toEqual(['first begins', 'another lane', 'clicks', 'first ends', 'second']);
  await other.close();
});

test.each(LANES)(
  'what keeps a transaction on lane %s from beginning is told, not what follows from it',
  async (lane) => {
    await onPool(`CREATE FUNCTION fill_up() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$`);
    await onPool('CREATE TRIGGER full_disk BEFORE INSERT ON commit_markers EXECUTE FUNCTION fill_up()');
    const readFirst = engine.write(lane, async (tx) => {
      await ask(tx, 'SELECT 1');
      await add(tx, 'x');
    });
    await expect(readFirst).rejects.toBeInstanceOf(Unavailable);
    await onPool('DROP TRIGGER full_disk ON commit_markers');
    await engine.write(lane, (tx) => add(tx, 'y'));
    expect(await onPool('SELECT name, n FROM things ORDER BY name')).toEqual([
      { name: 'x', n: 0 },
      { name: 'y', n: 1 },
    ]);
  },
);

test('batches that lock the same rows in opposite orders, in two processes, are all done once', async () => {
  const other = postgresEngine({ connectionString: url });
  const works = (of: Engine, names: readonly string[]) =>
    Array.from({ length: 200 }, (_, i) => of.write(7, (tx) => add(tx, names[i % 2] ?? '')));
  await Promise.all([...works(engine, ['x', 'y']), ...works(other, ['y', 'x'])]);
  expect(await onPool('SELECT name, n FROM things ORDER BY name')).toEqual([
    { name: 'x', n: 200 },
    { name: 'y', n: 200 },
  ]);
  await other.close();
});

describe('connections', () => {
  test('each lane has one of its own, and a workspace always the same lane', async () => {
    const backends = await Promise.all([0, 1, 2, 'clicks' as const, 3, 4, 5, 0].map((lane) => backend(lane)));
    const [first, second, third, clicks] = backends;
    expect(new Set([first, second, third, clicks]).size).toBe(4);
    expect(backends).toEqual([first, second, third, clicks, first, second, third, first]);
  });

  test('one that the server ends while it is idle is made anew', async () => {
    const before = await Promise.all(LANES.map(backend));
    await Promise.all([1, 2, 3].map(() => onPool('SELECT 1')));
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`);
    await client.end();
    const after = await Promise.all(LANES.map(backend));
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    expect(await onPool('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test.each(LANES)(
    'one that the server ends in the middle of works of lane %s is made anew',
    async (lane) => {
      let runs = 0;
      const works = ['x', 'y', 'x'].map((name, index) =>
        engine.write(lane, async (tx) => {
          await add(tx, name);
          if (index !== 1) return index;
          runs += 1;
          if (runs === 1) await ask(tx, 'SELECT pg_terminate_backend(pg_backend_pid())');
          return index;
        }),
      );
      expect(await Promise.all(works)).toEqual([0, 1, 2]);
      expect(await onPool('SELECT name, n FROM things ORDER BY name')).toEqual([
        { name: 'x', n: 2 },
        { name: 'y', n: 1 },
      ]);
    },
  );

  test('a read is asked again, as often as there are connections for the server to end', async () => {
    const other = postgresEngine({ connectionString: url, maxReads: 3 });
    const ended = new Set<number>();
    const held = Promise.withResolvers<void>();
    const lock = Promise.withResolvers<void>();
    const holding = engine.write(0, async (tx) => {
      await ask(tx, 'SELECT pg_advisory_xact_lock(7)');
      held.resolve();
      await lock.promise;
    });
    // Else the read could come first, and the one that waits, and is ended, be this.
    await held.promise;
    let isRefused = false;
    const read = sql<{ n: number }>`SELECT 1 AS n FROM pg_advisory_lock_shared(7)`.execute(other.read);
    read.catch(() => {
      isRefused = true;
    });
    await until(async () => {
      const waiting = await onPool<{
        pid: number;
      }>(`SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event = 'advisory'`);
      for (const { pid } of waiting) ended.add(pid);
      return isRefused || ended.size === 5;
    });
    lock.resolve();
    await holding;
    expect((await read).rows).toEqual([{ n: 1 }]);
    await other.close();
  });

  test('none is left after closing, which may be asked for twice', async () => {
    const other = postgresEngine({ connectionString: url });
    await Promise.all([
      ...LANES.map((lane) => other.write(lane, (tx) => ask(tx, 'SELECT 1'))),
      other.migrate(),
    ]);
    await other.read.selectFrom('users').select('id').execute();
    await Promise.all([other.close(), other.close()]);
    const own = (await Promise.all(LANES.map(backend))).join(', ');
    await until(async () => {
      const others = await onPool(`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND pid NOT IN (pg_backend_pid(), ${own})`);
      return others.length === 0;
    });
    const closed = [
      other.write(1, async () => {}),
      other.read.selectFrom('users').select('id').execute(),
      other.migrate(),
    ];
    for (const refused of closed) await expect(refused).rejects.toThrow(Unavailable);
  });

  test.each([
    ['a port where nobody listens', { port: '1' }, /127\.0\.0\.1:1, database "test_\w+": .*ECONNREFUSED/],
    ['a wrong password', { password: 'wrong' }, /password authentication failed/],
    ['a missing database', { pathname: 'missing' }, /database "missing" does not exist/],
  ])('to %s are refused with what is wrong and without the password', async (_case, change, message) => {
    const address = Object.assign(new URL(url), change);
    const other = postgresEngine({ connectionString: address.href, reconnectTimeoutMs: 0 });
    const refused = await Promise.allSettled([
      ...LANES.map((lane) => other.write(lane, async () => {})),
      other.read.selectFrom('users').select('id').execute(),
      other.migrate(),
    ]);
    for (const result of refused) {
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
    'lane %s and reads go on when another process changes a table under them',
    async (lane) => {
      const readAll = async () => [
        await onPool('SELECT * FROM things ORDER BY name'),
        await engine.write(lane, async (tx) => {
          await add(tx, 'x');
          return await ask(tx, 'SELECT * FROM things ORDER BY name');
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
    'lane %s: a work that passes over an error of the database is refused, not half stored',
    async (lane) => {
      const work = engine.write(lane, async (tx) => {
        await add(tx, 'x');
        await sql`INSERT INTO things VALUES ('x', 0)`.execute(tx.db).catch(() => {});
        return 'done';
      });
      await expect(work).rejects.toThrow('rolled back');
      expect(await onPool(`SELECT n FROM things WHERE name = 'x'`)).toEqual([{ n: 0 }]);
      await engine.write(lane, (tx) => add(tx, 'x'));
      expect(await onPool(`SELECT n FROM things WHERE name = 'x'`)).toEqual([{ n: 1 }]);
    },
  );

  test('works that lock each other out across lanes are both carried out', async () => {
    const locked = { x: Promise.withResolvers<void>(), y: Promise.withResolvers<void>() };
    const both = (first: 'x' | 'y', second: 'x' | 'y') => async (tx: Transaction) => {
      await add(tx, first);
      locked[first].resolve();
      await locked[second].promise;
      await add(tx, second);
    };
    await Promise.all([engine.write(0, both('x', 'y')), engine.write(1, both('y', 'x'))]);
    expect(await onPool('SELECT n FROM things')).toEqual([{ n: 2 }, { n: 2 }]);
  });

  test('one that only reads leaves no marker; one that writes leaves one, for an hour', async () => {
    const markers = () => onPool('SELECT id FROM commit_markers');
    const before = (await markers()).length;
    await engine.write(1, (tx) => ask(tx, 'SELECT 1'));
    expect(await markers()).toHaveLength(before);
    await engine.write(1, (tx) => add(tx, 'x'));
    expect(await markers()).toHaveLength(before + 1);

    const expiry = { clickKeysBefore: 0, sessionsBefore: 0, invitesBefore: 0, loginFailuresBefore: 0 };
    await engine.write('clicks', async (tx) => {
      await ask(tx, `UPDATE commit_markers SET created_at = created_at - 3500000 RETURNING id`);
      await ask(
        tx,
        `INSERT INTO commit_markers
        SELECT 'old', (extract(epoch FROM now()) * 1000)::bigint - 3700000`,
      );
      await deleteExpired(tx, expiry);
    });
    // The one that this work left itself is the last.
    expect(await markers()).toHaveLength(before + 2);
    expect(await onPool(`SELECT id FROM commit_markers WHERE id = 'old'`)).toEqual([]);
  });
});

test('processes add to different rows of a counter, as long as there are rows', async () => {
  const others = Array.from({ length: 16 }, () => postgresEngine({ connectionString: url, lanes: 1 }));
  const slots = [];
  for (const each of [engine, ...others]) slots.push(await each.write(1, async (tx) => tx.slot));
  const last = slots.pop();
  const all = Array.from({ length: 16 }, (_, slot) => slot);
  expect(slots.sort((a, b) => a - b)).toEqual(all);
  expect(last).toBeOneOf(all);
  await Promise.all(others.map((other) => other.close()));
});

test('all lanes of a process add to the same rows, also after a connection was lost', async () => {
  const slotOf = (lane: (typeof LANES)[number]) => engine.write(lane, async (tx) => tx.slot);
  expect(new Set(await Promise.all(LANES.map(slotOf))).size).toBe(1);
  const lost = engine.write('clicks', (tx) => ask(tx, 'SELECT pg_terminate_backend(pg_backend_pid())'));
  await expect(lost).rejects.toThrow(Unavailable);
  expect(new Set(await Promise.all(LANES.map(slotOf))).size).toBe(1);
});

test("neither the application's parsers of types change what is read, nor ours what it reads", async () => {
  const parse = pg.types.getTypeParser(20);
  pg.types.setTypeParser(20, () => 'theirs');
  try {
    expect(await onPool('SELECT 7::bigint AS n, 2.5::numeric AS half, true AS yes')).toEqual([
      { n: 7, half: 2.5, yes: true },
    ]);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    expect((await client.query('SELECT 7::bigint AS n')).rows).toEqual([{ n: 'theirs' }]);
    await client.end();
  } finally {
    pg.types.setTypeParser(20, parse);
  }
});
