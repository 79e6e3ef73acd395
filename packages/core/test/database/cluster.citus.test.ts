import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { initCluster } from '../../src/storage/database/cluster/init.ts';
import { LAYOUT } from '../../src/storage/database/cluster/layout.ts';
import { migrateCluster } from '../../src/storage/database/cluster/migrate-cluster.ts';
import { planRebalance, readClusterStatus } from '../../src/storage/database/cluster/status.ts';
import { readForeignKeys, readTables } from '../../src/storage/database/cluster/tables.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { listNodes, query, registerWorkers, runOnNodes, withDatabase } from '../support/citus-server.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { makeWorld } from '../support/world.ts';

const SHARDS = 4;

let url: string;
let engine: Engine;

afterEach(async () => {
  await engine.close();
  await dropDatabase(url);
});

describe('affkit cluster init', () => {
  beforeEach(async () => {
    const name = `init_${Date.now()}`;
    await runOnNodes(inject('postgresUrl'), 'postgres', `CREATE DATABASE ${name}`);
    await registerWorkers(inject('postgresUrl'), name);
    url = withDatabase(inject('postgresUrl'), name);
    engine = postgresEngine({ connectionString: url });
  });

  const init = (movesRows: boolean, onStep: (step: string) => void = () => {}) =>
    initCluster({ engine }, { shards: SHARDS, movesRows, onStep });
  const initWithDefaults = () => initCluster({ engine }, { movesRows: true, onStep: () => {} });

  test('rejects a database that is not migrated', async () => {
    await expect(init(false)).rejects.toThrow(
      'The database is not migrated: it has no table customers. Start a server of this version once, then stop it. ' +
        'Then run this command again.',
    );
  });

  test('rejects tables that contain rows, but moves the rows with --yes', async () => {
    const world = await makeWorld(engine);
    const clickId = await world.click('anna');
    await world.track('lead', { click_id: clickId });
    await world.track('sale', { click_id: clickId, transaction_id: 'before', amount_cents: 1000 });
    await expect(init(false)).rejects.toThrow(/^These tables contain rows: .*ledger_entries.*--yes\.$/);
    expect((await readTables(engine.read)).filter(({ placement }) => placement.kind !== 'local')).toEqual([]);
    const entries = await engine.read.selectFrom('ledger_entries').selectAll().orderBy('id').execute();
    expect(entries.length).toBeGreaterThan(0);
    await initWithDefaults();
    // By default, each table has four shards for each of the three workers.
    expect(
      await query(
        url,
        "SELECT DISTINCT shard_count FROM citus_tables WHERE citus_table_type = 'distributed'",
      ),
    ).toMatchObject({ rows: [{ shard_count: '12' }] });
    expect(await engine.read.selectFrom('ledger_entries').selectAll().orderBy('id').execute()).toEqual(
      entries,
    );
    const sale = { click_id: clickId, transaction_id: 'after', amount_cents: 1000 };
    expect((await world.track('sale', sale)).body).toMatchObject({ success: true });
    expect(await auditLedger(engine)).toEqual([]);
  });

  test('continues after it was stopped at any step, with the same result', async () => {
    await engine.migrate();
    const before = await readForeignKeys(engine.read);
    const stepsPerCall = 8;
    let calls = 0;
    for (let isComplete = false; !isComplete; calls++) {
      let steps = 0;
      isComplete = await init(false, () => {
        if (steps === stepsPerCall) throw new Error('stopped');
        steps += 1;
      }).then(
        () => true,
        (error: unknown) => {
          expect(error).toHaveProperty('message', 'stopped');
          return false;
        },
      );
      if (!isComplete) {
        await expect(engine.migrate()).rejects.toThrow(/Run "affkit cluster init", then start again\.$/);
      }
    }
    expect(calls).toBeGreaterThan(5);
    const status = await readClusterStatus({ engine });
    expect(status.problems).toEqual([]);
    const placementOf = new Map(status.tables.map(({ table, placement }) => [table, placement]));
    const isKept = ({ from, to }: { from: string; to: string }) =>
      to === 'programs' || to === 'partners'
        ? placementOf.get(from) === 'distributed by program_id'
        : placementOf.get(from) === placementOf.get(to);
    expect((await readForeignKeys(engine.read)).map(({ name }) => name).sort()).toEqual(
      before
        .filter(isKept)
        .map(({ name }) => name)
        .sort(),
    );
    await engine.migrate();
    expect(await planRebalance({ engine })).toEqual([]);
    const steps: string[] = [];
    await init(false, (step) => steps.push(step));
    expect(steps).toEqual([]);
  });
});

describe('a distributed database', () => {
  beforeEach(async () => {
    url = await createMigratedDatabase(inject('postgresUrl'));
    engine = postgresEngine({ connectionString: url });
  });

  test('stores every table as the layout says, and has shards on all workers', async () => {
    const { nodes, problems, tables } = await readClusterStatus({ engine });
    expect(problems).toEqual([]);
    expect(tables.map(({ table }) => table).sort()).toEqual(Object.keys(LAYOUT).sort());
    const workers = nodes.filter(({ isCoordinator }) => !isCoordinator);
    // Each table has four shards, which three workers cannot share evenly.
    const shards = workers.map((worker) => worker.shards);
    expect(Math.min(...shards)).toBeGreaterThan(0);
    expect(Math.max(...shards)).toBeLessThanOrEqual(2 * Math.min(...shards));
  });

  test('distributes what a migration changes: tables, columns, indexes, and triggers', async () => {
    await engine.changeSchema((db) =>
      migrateCluster(db, async () => {
        const statements = [
          'DROP TABLE program_pages',
          `CREATE TABLE program_pages (program_id BIGINT PRIMARY KEY REFERENCES programs (id), title TEXT)`,
          'ALTER TABLE links ADD COLUMN note TEXT',
          'UPDATE links SET note = short_link',
          'CREATE INDEX links_by_note ON links (program_id, note)',
          `CREATE FUNCTION test_note() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN NEW.note := 'from the trigger'; RETURN NEW; END $$`,
          'CREATE TRIGGER links_note BEFORE INSERT ON links FOR EACH ROW EXECUTE FUNCTION test_note()',
        ];
        for (const statement of statements) await sql.raw(statement).execute(db);
      }),
    );
    expect((await readClusterStatus({ engine })).problems).toEqual([]);
    const keys = await readForeignKeys(engine.read);
    expect(keys.filter(({ from }) => from === 'program_pages')).toMatchObject([{ to: 'programs' }]);
    await makeWorld(engine);
    const { rows } = await sql<{ note: string }>`SELECT DISTINCT note FROM links`.execute(engine.read);
    expect(rows).toEqual([{ note: 'from the trigger' }]);
    await engine.migrate();
  });

  test('rejects changes of the ledger, even directly on a worker', async () => {
    const world = await makeWorld(engine);
    const clickId = await world.click('anna');
    await world.track('sale', { click_id: clickId, transaction_id: 'one', amount_cents: 1000 });
    const refused = /ledger entries are never changed or deleted/;
    const statements = (table: string) => [
      `UPDATE ${table} SET amount_cents = amount_cents + 1`,
      `DELETE FROM ${table}`,
    ];
    for (const statement of [...statements('ledger_entries'), 'TRUNCATE ledger_entries']) {
      await expect(query(url, statement)).rejects.toThrow(refused);
    }
    const { rows: shards } = await query<{ port: number; shard: string }>(
      url,
      `SELECT nodeport AS port, shard_name::text AS shard FROM citus_shards
        WHERE table_name = 'ledger_entries'::regclass
          AND shardid = get_shard_id_for_distribution_column('ledger_entries', ${world.program.id})`,
    );
    const [{ port, shard } = { port: 0, shard: '' }] = shards;
    const node = (await listNodes(url)).find((one) => new URL(one).port === String(port)) ?? '';
    const worker = withDatabase(node, new URL(url).pathname.slice(1));
    for (const statement of statements(shard)) {
      const direct = `SET citus.enable_manual_changes_to_shards = on; ${statement}`;
      await expect(query(worker, direct)).rejects.toThrow(refused);
    }
  });
});
