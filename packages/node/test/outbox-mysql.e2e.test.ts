import type { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Query, sqlOutbox } from '../src/outbox/index.ts';
import { makeClient, SALE } from './client.ts';
import { fakeServer } from './fake-server.ts';
import { type MariadbServer, startMariadb } from './mariadb-server.ts';
import { type OutboxDatabase, outboxContract } from './outbox-contract.ts';

let server: MariadbServer;
beforeAll(async () => {
  server = await startMariadb();
});
afterAll(() => server.stop());

async function openPool(): Promise<Pool> {
  const pool = await server.openDatabase();
  onTestFinished(() => pool.end());
  return pool;
}

const queryOf =
  (client: Pool | PoolConnection): Query =>
  async (sql, values) =>
    (await client.query<RowDataPacket[]>(sql, [...values]))[0];

async function openMariadb(): Promise<OutboxDatabase> {
  const pool = await openPool();
  return {
    query: queryOf(pool),
    async transaction(work) {
      const connection = await pool.getConnection();
      try {
        await connection.beginTransaction();
        await work(queryOf(connection));
        await connection.commit();
      } catch (error) {
        await connection.rollback();
        throw error;
      } finally {
        connection.release();
      }
    },
  };
}

describe('an outbox on MariaDB', () => {
  outboxContract('mysql', openMariadb);

  test('stores a large event with 4-byte UTF-8 characters through prepared statements', async () => {
    const pool = await openPool();
    const query: Query = async (sql, values) => (await pool.execute<RowDataPacket[]>(sql, [...values]))[0];
    const outbox = sqlOutbox({ dialect: 'mysql' });
    await query(outbox.schema, []);
    const line_items = { text: '🎁'.repeat(12_000) };
    const additional_data = { text: 'x'.repeat(8_000) };
    await outbox.sale(query, { ...SALE, line_items, additional_data });
    const api = fakeServer();
    const { affkit } = makeClient({ transport: api.transport });
    expect(await outbox.relay(affkit, query)).toMatchObject({ delivered: 1, waiting: 0 });
    expect(api.recorded).toMatchObject([{ line_items, additional_data }]);
  });
});
