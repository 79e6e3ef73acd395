import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LAYOUT, layoutOf } from '../../src/storage/database/cluster/layout.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { newPostgresKinds } from '../support/engine-kinds.ts';

let engine: Engine;

beforeAll(async () => {
  const [open] = Object.values(newPostgresKinds);
  if (!open) throw new Error('There is no Postgres engine kind');
  engine = await open();
});

afterAll(() => engine.close());

test('the layout of a cluster contains exactly the tables of the schema', async () => {
  const { rows } = await sql<{ name: string }>`SELECT relname AS name FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`.execute(
    engine.read,
  );
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(LAYOUT).sort());
});

test('each unique index of a distributed table contains the distribution column', async () => {
  const { rows } = await sql<{ table: string; index: string; columns: string[] }>`
    SELECT t.relname AS "table", i.relname AS index, array_agg(a.attname::text) AS columns
    FROM pg_index AS x JOIN pg_class AS t ON t.oid = x.indrelid JOIN pg_class AS i ON i.oid = x.indexrelid
    JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = ANY (x.indkey)
    WHERE x.indisunique AND t.relnamespace = current_schema()::regnamespace AND NOT t.relispartition
    GROUP BY t.relname, i.relname`.execute(engine.read);
  const wrong = rows.filter(({ table, columns }) => {
    const layout = layoutOf(table);
    return layout?.kind === 'distributed' && !columns.includes(layout.column);
  });
  expect(wrong).toEqual([]);
});
