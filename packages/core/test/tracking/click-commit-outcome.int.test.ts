import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { usesCitus } from '../support/citus-server.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { type CommitPattern, type CutPoint, startProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { waitUntil } from '../support/wait-until.ts';
import { makeWorld, type World } from '../support/world.ts';

// A batch of new visitors is stored by one statement without BEGIN and COMMIT. The reply to this statement is
// therefore the reply to the commit.
const WHOLE: CommitPattern = usesCitus
  ? { request: 'INSERT INTO shard_commit_markers', reply: 'INSERT 0 1\0' }
  : { request: 'WITH marker AS', reply: 'SELECT 0\0' };
/**
 * The statement that makes sure that a lost transaction is never committed. On Citus, this statement is a
 * COMMIT, which is the default pattern.
 */
const CLAIM: CommitPattern | undefined = usesCitus
  ? undefined
  : { request: 'FROM claimed', reply: 'INSERT 0 1\0' };
/** The first statement of the retry. */
const RERUN: CommitPattern = { request: 'FROM link_directory', reply: '' };

let url: string;
let proxy: TcpProxy;
let world: World;

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  proxy = await startProxy(url);
  world = await makeWorld(postgresEngine({ connectionString: proxy.url }));
  // Fills the cache, so that Affkit needs only one statement for each of the next visits.
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
  ['before the server gets the statement', 'before'],
  ['after the server has committed', 'after'],
] as const)('stores visits once when the connection is lost %s', async (_when, cut: CutPoint) => {
  proxy.cutNextCommit(cut, WHOLE);
  const clicks = visit();
  await proxy.waitForCut();
  await expectStoredOnce(clicks);
});

test('stores visits once when the connection is lost while the statement runs', async () => {
  // While the statement waits for a row of daily totals, it holds locks on counters that the retry needs too.
  const blocker = new pg.Client({ connectionString: url });
  await blocker.connect();
  await blocker.query('BEGIN');
  const { rows } = await blocker.query('SELECT id FROM programs');
  await blocker.query(`SELECT 1 FROM daily_totals WHERE program_id = ${rows[0].id} FOR UPDATE`);
  proxy.cutNextCommit('during', WHOLE);
  const clicks = visit();
  await proxy.waitForCut();
  await blocker.query('ROLLBACK');
  await blocker.end();
  await expectStoredOnce(clicks);
});

test.each([
  ['and nothing else fails', []],
  ['and the retry loses its connection too', [['before', RERUN]]],
  ['and the commit of the retry is lost', [['before', undefined]]],
  ['and the reply that rules out a late commit is lost too', [['after', CLAIM]]],
] as const)('stores visits once when the server gets the statement late, %s', async (_what, further) => {
  const direct = postgresEngine({ connectionString: url });
  const findSessions = async (where: RawBuilder<unknown>) => {
    const { rows } = await sql<{ pid: number }>`SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND ${where}`.execute(direct.read);
    return rows.map(({ pid }) => pid);
  };
  proxy.cutNextCommit('late', WHOLE);
  const clicks = visit();
  await proxy.waitForCut();
  for (const [cut, commit] of further) {
    proxy.cutNextCommit(cut, commit);
    await proxy.waitForCut();
  }
  await Promise.all(clicks);
  const [port] = proxy.lateCommitPorts();
  const [held, ...others] = await findSessions(sql`client_port = ${port}`);
  expect([held, others]).toEqual([expect.any(Number), []]);
  proxy.releaseLateCommits();
  // Wait for the end of the session, which comes after the server has run the delayed statement.
  await waitUntil(async () => (await findSessions(sql`pid = ${held}`)).length === 0);
  await direct.close();
  await expectStoredOnce(clicks);
});
