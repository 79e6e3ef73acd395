import type { Engine } from '@affkit/core';
import { sql } from 'kysely';

/** The tables whose number of rows grows with the number of events. */
const EVENT_TABLES = ['customers', 'click_events', 'lead_events', 'sales', 'commissions'];

interface Index {
  readonly name: string;
  readonly definition: string;
}

/**
 * Runs `load` without the indexes of the event tables, then creates them again. Keeping an index up to date for
 * each row takes several times as long as creating it from all rows.
 */
export async function withoutIndexes(engine: Engine, load: () => Promise<void>): Promise<void> {
  const indexes = await listIndexes(engine);
  await run(
    engine,
    indexes.map(({ name }) => `DROP INDEX "${name}"`),
  );
  await load();
  const memory = engine.dialect === 'postgres' ? [`SET LOCAL maintenance_work_mem = '256MB'`] : [];
  for (const { definition } of indexes) await run(engine, [...memory, definition]);
}

/**
 * Lists the indexes that are not unique. Postgres describes the index of a partitioned table with `ON ONLY`, which
 * leaves out the partitions. `ONLY` is removed, so that the partitions get the index too.
 */
async function listIndexes({ dialect, read }: Engine): Promise<readonly Index[]> {
  const tables = sql.join(EVENT_TABLES);
  const { rows } =
    dialect === 'postgres'
      ? await sql<Index>`SELECT indexname AS name, replace(indexdef, ' ON ONLY ', ' ON ') AS definition FROM pg_indexes
          WHERE schemaname = current_schema() AND tablename IN (${tables})
            AND indexdef NOT LIKE 'CREATE UNIQUE%'`.execute(read)
      : await sql<Index>`SELECT name, sql AS definition FROM sqlite_master
          WHERE type = 'index' AND tbl_name IN (${tables}) AND sql NOT LIKE 'CREATE UNIQUE%'`.execute(read);
  return rows;
}

async function run(engine: Engine, statements: readonly string[]): Promise<void> {
  await engine.write(1, async ({ db }) => {
    for (const statement of statements) await sql.raw(statement).execute(db);
  });
}
