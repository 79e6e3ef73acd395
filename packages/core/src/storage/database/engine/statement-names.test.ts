import { expect, test } from 'vitest';
import { StatementNames } from './statement-names.ts';

const nameIn = (names: StatementNames, text: string) => names.prepare(text, []).name;

test('gives a statement a name from its second use on', () => {
  const names = new StatementNames('session');
  expect(nameIn(names, 'SELECT 1')).toBeUndefined();
  expect(nameIn(names, 'SELECT 1')).toBe('affkit_1');
  expect(nameIn(names, 'SELECT 1')).toBe('affkit_1');
});

test('gives no name to a statement that runs only once', () => {
  const names = new StatementNames('session');
  for (let i = 0; i < 10_000; i++) nameIn(names, `CREATE TABLE t${i} (id INT)`);
  const repeated = Array.from({ length: 400 }, (_, i) => `SELECT ${i}`);
  for (const text of repeated) {
    nameIn(names, text);
    nameIn(names, text);
  }
  expect(new Set(repeated.map((text) => nameIn(names, text))).size).toBe(400);
  expect(nameIn(names, 'SELECT 400')).toBeUndefined();
  expect(nameIn(names, 'SELECT 400')).toBeUndefined();
});

test('gives no name to a long statement, or to any statement behind a pooler in transaction mode', () => {
  const long = `SELECT ${'1 + '.repeat(2_000)}1`;
  const session = new StatementNames('session');
  const transaction = new StatementNames('transaction');
  for (let use = 0; use < 3; use++) {
    expect(nameIn(session, long)).toBeUndefined();
    expect(nameIn(transaction, 'SELECT 1')).toBeUndefined();
  }
});
