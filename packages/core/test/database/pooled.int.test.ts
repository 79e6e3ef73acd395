import { sql } from 'kysely';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { startPgBouncer, throughPooler } from '../support/pgbouncer.ts';
import {
  createMigratedDatabase,
  dropDatabase,
  startPostgres,
  type TestServerOptions,
} from '../support/postgres-server.ts';
import { startProxy } from '../support/tcp-proxy.ts';
import { makeWorld, type World } from '../support/world.ts';

const closing: (() => Promise<unknown>)[] = [];
beforeEach(() => void closing.splice(0));
afterEach(async () => {
  for (const close of closing.toReversed()) await close();
});

const program = process.env['PGBOUNCER_PATH'] ?? 'pgbouncer';

/** Starts Postgres behind its own PgBouncer. */
async function startPooled(poolSize: number, options?: TestServerOptions) {
  const server = await startPostgres(options);
  closing.push(() => server.stop());
  const pooler = await startPgBouncer(program, server.url(), poolSize);
  closing.push(() => pooler.stop());
  const database = new URL(await server.createDatabase()).pathname.slice(1);
  return { server, direct: server.url(database), pooled: pooler.url(database) };
}

async function recordEvents(world: World, count: number, name: string) {
  // The first click fills the cache of links. Further clicks are written by a single statement each.
  await world.click('anna');
  const clicks = await Promise.all(Array.from({ length: count }, () => world.click('anna')));
  const sales = await Promise.all(
    clicks.map((click_id, index) =>
      world.track('sale', { transaction_id: `${name}${index}`, amount_cents: 1000, click_id }),
    ),
  );
  expect(sales.map(({ status }) => status)).toEqual(clicks.map(() => 200));
  return clicks;
}

test('records everything when all connections of two processes share two server connections', async () => {
  const { direct, pooled } = await startPooled(2, { skipFsync: true });
  const world = await makeWorld(postgresEngine({ connectionString: pooled, pooler: 'transaction' }));
  const other = postgresEngine({ connectionString: pooled, pooler: 'transaction' });
  await recordEvents(world, 40, 'a');
  await Promise.all([
    recordEvents(world, 40, 'b'),
    ...Array.from({ length: 40 }, (_, lane) =>
      other.write(lane, (tx) => sql`INSERT INTO service_settings VALUES (${`k${lane}`}, '')`.execute(tx.db)),
    ),
  ]);
  const observer = postgresEngine({ connectionString: direct });
  const { rows } = await sql<{ isShared: boolean }>`
    SELECT count(*) <= 2 AS "isShared" FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND backend_type = 'client backend'`.execute(observer.read);
  expect(rows).toEqual([{ isShared: true }]);
  expect(await auditLedger(observer, [world.program.id])).toEqual([]);
  await Promise.all([observer.close(), other.close(), world.affkit.close()]);
});

test('keeps acknowledged events when the server is killed, although the database commits asynchronously', async () => {
  const { server, direct, pooled } = await startPooled(5);
  const setUp = postgresEngine({ connectionString: direct });
  await sql.raw(`ALTER SYSTEM SET wal_writer_delay = '10s'`).execute(setUp.read);
  await sql`SELECT pg_reload_conf()`.execute(setUp.read);
  const name = new URL(direct).pathname.slice(1);
  await sql.raw(`ALTER DATABASE ${name} SET synchronous_commit = 'off'`).execute(setUp.read);
  await setUp.close();

  const world = await makeWorld(postgresEngine({ connectionString: pooled, pooler: 'transaction' }));
  await recordEvents(world, 3, 'a');
  const last = await world.click('anna');
  await server.kill();
  await server.restart();
  const { rows } = await sql`SELECT 1 FROM click_events WHERE click_id = ${last}`.execute(world.engine.read);
  expect(rows).toHaveLength(1);
  // The pooler has lost its server connections, so the first write fails and is sent again.
  await recordEvents(world, 3, 'b');
  expect(await auditLedger(world.engine, [world.program.id])).toEqual([]);
  await world.affkit.close();
});

test.each(['after', 'late'] as const)(
  'stores a sale once when the reply to its commit is lost (cut point: %s)',
  async (cut) => {
    const url = await createMigratedDatabase(inject('postgresUrl'));
    closing.push(() => dropDatabase(url));
    const options = throughPooler(url);
    const proxy = await startProxy(options.connectionString);
    closing.push(() => proxy.close());
    const world = await makeWorld(postgresEngine({ ...options, connectionString: proxy.url }));
    closing.push(() => world.affkit.close());
    const [click_id] = await recordEvents(world, 1, 'a');
    proxy.cutNextCommit(cut);
    const sending = world.track('sale', { transaction_id: 'b', amount_cents: 1000, click_id });
    await proxy.waitForCut();
    proxy.releaseLateCommits();
    expect(await sending).toMatchObject({ status: 200 });
    expect(await auditLedger(world.engine, [world.program.id])).toEqual([]);
    expect(await world.engine.read.selectFrom('sales').select('id').execute()).toHaveLength(2);
  },
);

test('leaves no setting or lock on the server connections of the pooler', async () => {
  const url = await createMigratedDatabase(inject('postgresUrl'));
  closing.push(() => dropDatabase(url));
  const engine = postgresEngine(throughPooler(url));
  const world = await makeWorld(engine);
  await recordEvents(world, 3, 'a');
  const { rows: settings } = await sql`SELECT name FROM pg_settings WHERE source = 'session'
    AND name IN ('synchronous_commit', 'enable_seqscan', 'plan_cache_mode', 'idle_in_transaction_session_timeout')`.execute(
    engine.read,
  );
  expect(settings).toEqual([]);
  const { rows: locks } = await sql`SELECT objid FROM pg_locks WHERE locktype = 'advisory'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.execute(engine.read);
  expect(locks).toEqual([]);
  const { rows: statements } = await sql`SELECT name FROM pg_prepared_statements`.execute(engine.read);
  expect(statements).toEqual([]);
  await world.affkit.close();
});

test('the error names the required setting when the engine is not configured for a pooler', async () => {
  const { pooled } = await startPooled(1, { skipFsync: true });
  const first = postgresEngine({ connectionString: pooled, maxReads: 1 });
  const second = postgresEngine({ connectionString: pooled, maxReads: 1 });
  const read = (engine: typeof first) => sql`SELECT ${1}::int AS one`.execute(engine.read);
  // A statement is prepared when it runs for the second time.
  for (const engine of [first, first, second]) await read(engine);
  await expect(read(second)).rejects.toThrow('DATABASE_POOLER=transaction');
  await Promise.all([first.close(), second.close()]);
});
