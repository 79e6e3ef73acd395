import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ColumnArrays } from '../src/storage/column-arrays.ts';
import { TYPES } from '../src/storage/engine/postgres-dialect.ts';

let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client({ connectionString: inject('postgresUrl'), types: TYPES });
  await client.connect();
});

afterAll(async () => {
  await client.end();
});

interface Row {
  id: number | null;
  note: string | null;
}

const ROWS = new ColumnArrays<Row>({ id: 'bigint', note: 'text' });
const SELECT = `SELECT id, note FROM ${ROWS.as('given', 2)} WHERE $1`;

async function echo(rows: readonly Row[]): Promise<Row[]> {
  return (await client.query<Row>(SELECT, [true, ...ROWS.values(rows)])).rows;
}

test('what means something in an array, in JSON or in neither comes through as it is', async () => {
  const notes = [
    '',
    'null',
    'NULL',
    '{}',
    '{a,b}',
    '"',
    '\\',
    '\\n',
    '\\\\n',
    '\\"',
    '"\\',
    "'",
    ',',
    ' a ',
    '\\u0041',
  ];
  const controls = ['\n', '\r\n', '\t', '\b\f\v', '\x01\x1f\x7f', '\\\n', '"\n"', 'ü€😀', '\u2028'];
  const rows = [...notes, ...controls, null].map((note, id) => ({ id, note }));
  expect(await echo(rows)).toEqual(rows);
});

test('no rows are none', async () => {
  expect(await echo([])).toEqual([]);
});

test('any rows come through as they are', async () => {
  const id = fc.option(fc.maxSafeInteger(), { nil: null });
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom('\\', '"', '{', '}', ',', 'n', 'u'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
  });
  const note = fc.option(
    text.filter((value) => !value.includes('\0')),
    { nil: null },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ id, note }), { maxLength: 20 }), async (rows) => {
      expect(await echo(rows)).toEqual(rows);
    }),
    { numRuns: 300 },
  );
});
