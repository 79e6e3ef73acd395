import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { untilWaitingForLocks } from '../../../../test/support/lock-waits.ts';
import { createDatabase, dropDatabase, startPostgres } from '../../../../test/support/postgres-server.ts';
import { type Cut, startProxy, type TcpProxy } from '../../../../test/support/tcp-proxy.ts';
import { Unavailable } from '../../../rejection.ts';
import { postgresEngine } from '../../postgres.ts';
import { type Engine, OutcomeUnknown } from './engine.ts';

let direct: Engine;
let engine: Engine;
let proxy: TcpProxy;
let url: string;

beforeEach(async () => {
  url = await createDatabase(inject('postgresUrl'));
  direct = postgresEngine({ connectionString: url });
  await direct.migrate();
  // Nothing is unique here: what is stored twice is there twice.
  await direct.write(1, (tx) => sql`CREATE TABLE things (name TEXT, run INT)`.execute(tx.db));
  proxy = await startProxy(url);
  engine = postgresEngine({ connectionString: proxy.url });
});

afterEach(async () => {
  await engine.close();
  await direct.close();
  await proxy.close();
  await dropDatabase(url);
});

const stored = async (from: Engine) =>
  (await sql`SELECT name, run FROM things ORDER BY name`.execute(from.read)).rows;

/** Works whose results say in which run they were made. */
function writeAll(lane: 1 | 'clicks', names: readonly string[]) {
  const runs = new Map<string, number>();
  const results = names.map((name) =>
    engine.write(lane, async (tx) => {
      const run = (runs.get(name) ?? 0) + 1;
      runs.set(name, run);
      await sql`INSERT INTO things (name, run) VALUES (${name}, ${run})`.execute(tx.db);
      return { name, run };
    }),
  );
  return Promise.all(results);
}

describe.each([1, 'clicks'] as const)('on lane %s, when the connection breaks', (lane) => {
  describe.each([[['a']], [['a', 'b', 'c']]])('at the commit of %j', (names) => {
    test.each([
      ['before the server was told', 'before', 2],
      ['after the server has committed', 'after', 1],
    ] as const)(
      '%s, each work is stored once, and answered as it is stored',
      async (_when, cut: Cut, run) => {
        proxy.cutNext(cut);
        const results = await writeAll(lane, names);
        await proxy.wasCut();
        expect(results).toEqual(names.map((name) => ({ name, run })));
        expect(await stored(direct)).toEqual(results);
      },
    );

    test('and the server is told late, each work is stored once, and answered as it is stored', async () => {
      proxy.cutNext('late');
      const writing = writeAll(lane, names);
      await proxy.wasCut();
      // The next transaction waits for what becomes of the first.
      await untilWaitingForLocks(direct, 1);
      proxy.release();
      const results = await writing;
      expect(results).toEqual(names.map((name) => ({ name, run: 1 })));
      expect(await stored(direct)).toEqual(results);
    });
  });

  test('at several commits one after the other, each work is stored once', async () => {
    const expected: unknown[] = [];
    for (const [index, cut] of (['after', 'before', 'after', 'before'] as const).entries()) {
      proxy.cutNext(cut);
      expected.push(...(await writeAll(lane, [`${index}a`, `${index}b`])));
    }
    expect(await stored(direct)).toEqual(expected);
    expect(expected).toHaveLength(8);
  });

  test('again at the commit by which it is made good, each work is stored once', async () => {
    proxy.cutNext('before');
    const writing = writeAll(lane, ['a', 'b']);
    await proxy.wasCut();
    proxy.cutNext('after');
    const results = await writing;
    expect(results).toEqual(['a', 'b'].map((name) => ({ name, run: 2 })));
    expect(await stored(direct)).toEqual(results);
  });
});

test.each([1, 'clicks'] as const)(
  'on lane %s, a commit that takes longer than the driver waits for answers is found out about',
  async (lane) => {
    await direct.write(1, async ({ db }) => {
      await sql`CREATE SEQUENCE commits`.execute(db);
      await sql`CREATE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF nextval('commits') = 1 THEN PERFORM pg_sleep(1.2); END IF; RETURN NULL; END $$`.execute(
        db,
      );
      await sql`CREATE CONSTRAINT TRIGGER stand_still AFTER INSERT ON things DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION stand_still()`.execute(db);
    });
    const hasty = new URL(proxy.url);
    hasty.searchParams.set('query_timeout', '800');
    await engine.close();
    engine = postgresEngine({ connectionString: hasty.href });
    const results = await writeAll(lane, ['a', 'b']);
    expect(results.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(await stored(direct)).toEqual(results);
  },
);

test('a commit whose end can not be learned is told apart, and not run again', async () => {
  const server = await startPostgres();
  const own = await server.createDatabase();
  const setUp = postgresEngine({ connectionString: own });
  await setUp.migrate();
  await setUp.write(1, (tx) => sql`CREATE TABLE things (name TEXT, run INT)`.execute(tx.db));
  await setUp.close();
  const between = await startProxy(own);
  const impatient = postgresEngine({
    connectionString: between.url,
    reconnectTimeoutMs: 0,
    commitOutcomeTimeoutMs: 0,
  });
  let runs = 0;
  between.cutNext('late');
  const work = impatient.write(1, async (tx) => {
    runs += 1;
    await sql`INSERT INTO things (name, run) VALUES ('a', ${runs})`.execute(tx.db);
  });
  const refused = expect(work).rejects.toThrow(OutcomeUnknown);
  await between.wasCut();
  await server.kill();
  await refused;
  await expect(impatient.write(1, async () => {})).rejects.toThrow(Unavailable);
  expect(runs).toBe(1);
  await impatient.close();
  await between.close();
  await server.stop();
});
