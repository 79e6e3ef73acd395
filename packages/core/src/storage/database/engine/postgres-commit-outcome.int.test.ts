import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { waitForBlockedSessions } from '../../../../test/support/blocked-sessions.ts';
import { throughPooler } from '../../../../test/support/pgbouncer.ts';
import {
  createMigratedDatabase,
  dropDatabase,
  startPostgres,
} from '../../../../test/support/postgres-server.ts';
import { type CutPoint, startProxy, type TcpProxy } from '../../../../test/support/tcp-proxy.ts';
import { Unavailable } from '../../../rejection.ts';
import { postgresEngine } from '../../postgres.ts';
import { type Engine, OutcomeUnknown } from './engine.ts';

let direct: Engine;
let engine: Engine;
let proxy: TcpProxy;
let url: string;

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  direct = postgresEngine({ connectionString: url });
  // The table has no unique constraint, so a unit of work that is stored twice results in two rows.
  await direct.write(1, (tx) => sql`CREATE TABLE things (name TEXT, run INT)`.execute(tx.db));
  const options = throughPooler(url);
  proxy = await startProxy(options.connectionString);
  engine = postgresEngine({ ...options, connectionString: proxy.url });
});

afterEach(async () => {
  await engine.close();
  await direct.close();
  await proxy.close();
  await dropDatabase(url);
});

const stored = async (from: Engine) =>
  (await sql`SELECT name, run FROM things ORDER BY name`.execute(from.read)).rows;

/** Writes one row per name. Each row, and each result, contains the number of the run that stored it. */
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

describe.each([1, 'clicks'] as const)('lane %s', (lane) => {
  describe.each([[['a']], [['a', 'b', 'c']]])('when one commit contains the units of work %j', (names) => {
    test.each([
      ['before the server received COMMIT', 'before', 2],
      ['after the server committed', 'after', 1],
    ] as const)(
      'stores each unit of work once and returns the stored result if the connection is lost %s',
      async (_when, cut: CutPoint, run) => {
        proxy.cutNextCommit(cut);
        const results = await writeAll(lane, names);
        await proxy.waitForCut();
        expect(results).toEqual(names.map((name) => ({ name, run })));
        expect(await stored(direct)).toEqual(results);
      },
    );

    test('stores each unit of work once and returns the stored result if a lost connection delays COMMIT', async () => {
      proxy.cutNextCommit('late');
      const writing = writeAll(lane, names);
      await proxy.waitForCut();
      // To determine the outcome, Affkit inserts the commit marker again. This insert waits until the first
      // transaction ends.
      await waitForBlockedSessions(direct, 1);
      proxy.releaseLateCommits();
      const results = await writing;
      expect(results).toEqual(names.map((name) => ({ name, run: 1 })));
      expect(await stored(direct)).toEqual(results);
    });
  });

  test('stores each unit of work once if the connection is lost in several consecutive commits', async () => {
    const expected: unknown[] = [];
    for (const [index, cut] of (['after', 'before', 'after', 'before'] as const).entries()) {
      proxy.cutNextCommit(cut);
      expected.push(...(await writeAll(lane, [`${index}a`, `${index}b`])));
    }
    expect(await stored(direct)).toEqual(expected);
    expect(expected).toHaveLength(8);
  });

  test('stores each unit of work once if the connection is lost again during the commit of the retry', async () => {
    proxy.cutNextCommit('before');
    const writing = writeAll(lane, ['a', 'b']);
    await proxy.waitForCut();
    proxy.cutNextCommit('after');
    const results = await writing;
    expect(results).toEqual(['a', 'b'].map((name) => ({ name, run: 2 })));
    expect(await stored(direct)).toEqual(results);
  });
});

test.each([1, 'clicks'] as const)(
  'lane %s determines the outcome of a commit that exceeds the query timeout of the driver',
  async (lane) => {
    await direct.write(1, async ({ db }) => {
      await sql`CREATE SEQUENCE commits`.execute(db);
      await sql`CREATE FUNCTION slow_commit() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF nextval('commits') = 1 THEN PERFORM pg_sleep(1.2); END IF; RETURN NULL; END $$`.execute(
        db,
      );
      await sql`CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON things DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION slow_commit()`.execute(db);
    });
    const address = new URL(proxy.url);
    address.searchParams.set('query_timeout', '800');
    await engine.close();
    engine = postgresEngine({ ...throughPooler(url), connectionString: address.href });
    const results = await writeAll(lane, ['a', 'b']);
    expect(results.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(await stored(direct)).toEqual(results);
  },
);

test('rejects with OutcomeUnknown and does not retry when the outcome cannot be determined', async () => {
  const server = await startPostgres();
  const own = await server.createDatabase();
  const setUp = postgresEngine({ connectionString: own });
  await setUp.migrate();
  await setUp.write(1, (tx) => sql`CREATE TABLE things (name TEXT, run INT)`.execute(tx.db));
  await setUp.close();
  const ownProxy = await startProxy(own);
  const ownEngine = postgresEngine({
    connectionString: ownProxy.url,
    reconnectTimeoutMs: 0,
    commitOutcomeTimeoutMs: 0,
  });
  let runs = 0;
  ownProxy.cutNextCommit('late');
  const writing = ownEngine.write(1, async (tx) => {
    runs += 1;
    await sql`INSERT INTO things (name, run) VALUES ('a', ${runs})`.execute(tx.db);
  });
  const rejected = expect(writing).rejects.toThrow(OutcomeUnknown);
  await ownProxy.waitForCut();
  await server.kill();
  await rejected;
  await expect(ownEngine.write(1, async () => {})).rejects.toThrow(Unavailable);
  expect(runs).toBe(1);
  await ownEngine.close();
  await ownProxy.close();
  await server.stop();
});
