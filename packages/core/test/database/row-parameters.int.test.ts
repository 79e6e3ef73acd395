import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { TYPE_PARSERS } from '../../src/storage/database/engine/postgres-dialect.ts';
import { RowParameters } from '../../src/storage/database/row-parameters.ts';
import { anyCharacter } from '../support/any-character.ts';

let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client({ connectionString: inject('postgresUrl'), types: TYPE_PARSERS });
  await client.connect();
});

afterAll(async () => {
  await client.end();
});

interface Row {
  id: number | null;
  note: string | null;
}

const ROWS = new RowParameters<Row>({ id: 'bigint', note: 'text' });

/** Returns the rows that Postgres reads from array parameters and, unless `rows` is empty, those from `VALUES`. */
async function roundTrip(rows: readonly Row[]): Promise<Row[][]> {
  const select = async (list: string, values: readonly unknown[]) =>
    (await client.query<Row>(`SELECT id, note FROM ${list} WHERE $1`, [true, ...values])).rows;
  const arrays = await select(ROWS.fromArrays('given', 2), ROWS.arrays(rows));
  if (rows.length === 0) return [arrays];
  return [arrays, await select(ROWS.fromValues('given', 2, rows.length), ROWS.values(rows))];
}

test('passes special characters of arrays and JSON unchanged', async () => {
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
  expect(await roundTrip(rows)).toEqual([rows, rows]);
});

test('passes an empty list of rows', async () => {
  expect(await roundTrip([])).toEqual([[]]);
});

test('passes arbitrary rows unchanged', async () => {
  const id = fc.option(fc.maxSafeInteger(), { nil: null });
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom('\\', '"', '{', '}', ',', 'n', 'u'), anyCharacter),
  });
  const note = fc.option(
    text.filter((value) => !value.includes('\0')),
    { nil: null },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ id, note }), { maxLength: 20 }), async (rows) => {
      expect(await roundTrip(rows)).toEqual(rows.length === 0 ? [[]] : [rows, rows]);
    }),
    { numRuns: 300 },
  );
});
