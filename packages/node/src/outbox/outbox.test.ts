import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { type OutboxDatabase, outboxContract } from '../../test/outbox-contract.ts';
import { type Dialect, type Query, sqlOutbox } from './index.ts';

async function openSqlite(readBigInts = false): Promise<OutboxDatabase> {
  const database = new DatabaseSync(':memory:');
  const query: Query = (sql, values) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(readBigInts);
    return statement.all(...values).map((row) => ({ ...row }));
  };
  return {
    query,
    async transaction(work) {
      database.exec('begin');
      try {
        await work(query);
        database.exec('commit');
      } catch (error) {
        database.exec('rollback');
        throw error;
      }
    },
  };
}

describe('an outbox on SQLite', () => outboxContract('sqlite', () => openSqlite()));

describe('an outbox on SQLite whose driver returns ids as BigInt', () =>
  outboxContract('sqlite', () => openSqlite(true)));

test('the Postgres statements use numbered placeholders', async () => {
  const outbox = sqlOutbox({ dialect: 'postgres', table: 'shop.outbox' });
  const statements: string[] = [];
  await outbox.refund(
    (sql) => {
      statements.push(sql);
      return [];
    },
    { transaction_id: 'a' },
  );
  expect(statements).toEqual(['insert into shop.outbox (operation, body) values ($1, $2)']);
});

test('rejects an invalid table name, dialect or concurrency', () => {
  for (const table of ['', 'x; drop table orders', 'a b', '"x"', 'a.b.c']) {
    expect(() => sqlOutbox({ dialect: 'sqlite', table })).toThrow('table must be an unquoted SQL name');
  }
  expect(() => sqlOutbox({ dialect: 'oracle' as Dialect })).toThrow('dialect must be');
  expect(() => sqlOutbox({ dialect: 'sqlite', concurrency: 0 })).toThrow('concurrency must be an integer');
});
