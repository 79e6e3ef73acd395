import { type RawBuilder, sql } from 'kysely';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { type CommitBytes, type Cut, startProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { makeWorld, type World } from '../support/world.ts';

// Visits of people who are new go out as one statement, which is the whole transaction: its answer is that to a commit.
const WHOLE: CommitBytes = { asked: 'WITH marker AS', answered: 'SELECT 0\0' };
/** By which it is settled that what was lost is never committed. */
const CLAIM: CommitBytes = { asked: 'FROM claimed', answered: 'INSERT 0 1\0' };
/** What a run begins with that follows. */
const RERUN: CommitBytes = { asked: 'FROM link_directory', answered: '' };

let url: string;
let proxy: TcpProxy;
let world: World;

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  proxy = await startProxy(url);
  world = await makeWorld(postgresEngine({ connectionString: proxy.url }));
  // Everything is remembered from here on.
  await world.click('anna');
});

afterEach(async () => {
  await world.affkit.close();
  await proxy.close();
  await dropDatabase(url);
});

async function expectStoredOnce(clicks: readonly Promise<string>[]): Promise<void> {
  const answered = await Promise.all(clicks);
  const { read } = world.engine;
  const rows = await read.selectFrom('click_events').select('click_id').orderBy('id').execute();
  const stored = rows.map((row) => row.click_id).slice(1);
  expect(stored.sort()).toEqual([...answered].sort());
  const counted = await sql<{ sum: number }>`SELECT sum(value) AS sum FROM counters
    WHERE subject = 'link' AND measure = 'clicks'`.execute(read);
  expect(counted.rows[0]?.sum).toBe(rows.length);
}

const visit = () => Array.from({ length: 3 }, () => world.click('anna'));

test.each([
  ['before the server was told', 'before'],
  ['after the server has committed', 'after'],
] as const)('visits whose answer is lost %s are stored once, and answered so', async (_when, cut: Cut) => {
  proxy.cutNext(cut, WHOLE);
  const clicks = visit();
  await proxy.wasCut();
  await expectStoredOnce(clicks);
});

test('visits whose connection is lost while they are stored are stored once, and answered so', async () => {
  // The first statement stands still, with counters locked that the run that follows needs too.
  const direct = postgresEngine({ connectionString: url });
  await direct.write(1, async ({ db }) => {
    await sql`CREATE SEQUENCE calls`.execute(db);
    await sql`CREATE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF nextval('calls') = 1 THEN PERFORM pg_sleep(0.5); END IF; RETURN NULL; END $$`.execute(db);
    await sql`CREATE TRIGGER stand_still BEFORE INSERT ON daily_totals
      FOR EACH STATEMENT EXECUTE FUNCTION stand_still()`.execute(db);
  });
  proxy.cutNext('during', WHOLE);
  const clicks = visit();
  await proxy.wasCut();
  await Promise.all(clicks);
  await until(async () => {
    const { rows } = await sql`SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event = 'PgSleep'`.execute(direct.read);
    return rows.length === 0;
  });
  await direct.close();
  await expectStoredOnce(clicks);
});

test.each([
  ['and nothing else happens', []],
  ['and the run that follows loses its connection too', [['before', RERUN]]],
  ['and the commit of the run that follows is lost', [['before', undefined]]],
  ['and so is the answer by which it is settled that they never will be', [['after', CLAIM]]],
] as const)(
  'visits of which the server is told late, %s, are stored once, and answered so',
  async (_what, further) => {
    const direct = postgresEngine({ connectionString: url });
    const findSessions = async (where: RawBuilder<unknown>) => {
      const { rows } = await sql<{ pid: number }>`SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND ${where}`.execute(direct.read);
      return rows.map(({ pid }) => pid);
    };
    proxy.cutNext('late', WHOLE);
    const clicks = visit();
    await proxy.wasCut();
    for (const [cut, commit] of further) {
      proxy.cutNext(cut, commit);
      await proxy.wasCut();
    }
    await Promise.all(clicks);
    const [port] = proxy.heldPorts();
    const [held, ...others] = await findSessions(sql`client_port = ${port}`);
    expect([held, others]).toEqual([expect.any(Number), []]);
    proxy.release();
    // It ends when the server has done what it was told.
    await until(async () => (await findSessions(sql`pid = ${held}`)).length === 0);
    await direct.close();
    await expectStoredOnce(clicks);
  },
);
