import type { Pool, PoolConnection, RowDataPacket, TypeCast } from 'mysql2/promise';
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

  test('sends every event if the driver returns ids as BigInt', async () => {
    const pool = await openPool();
    const typeCast: TypeCast = (field, next) =>
      field.type === 'LONGLONG' ? BigInt(field.string() ?? '') : next();
    const query: Query = async (sql, values) =>
      (await pool.query<RowDataPacket[]>({ sql, values: [...values], typeCast }))[0];
    const outbox = sqlOutbox({ dialect: 'mysql' });
    await query(outbox.schema, []);
    for (const transaction_id of ['a', 'b', 'c']) await outbox.sale(query, { ...SALE, transaction_id });
    const api = fakeServer();
    api.fault = (_operation, event) =>
      event['transaction_id'] === 'b' ? [400, { error: 'Not valid', code: 'invalid_field' }] : undefined;
    const { affkit } = makeClient({ transport: api.transport });
    expect(await query('select id from affkit_outbox', [])).toContainEqual({ id: 2n });
    expect(await outbox.relay(affkit, query)).toMatchObject({ delivered: 2, refused: 1 });
    expect(api.log).toEqual(['sale a 200', 'sale b 400', 'sale c 200']);
    expect(await query('select operation from affkit_outbox where refusal is not null', [])).toHaveLength(1);
    expect(await query('select operation from affkit_outbox', [])).toHaveLength(1);
  });

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
