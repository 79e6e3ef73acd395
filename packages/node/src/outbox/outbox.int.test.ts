import type pg from 'pg';
import { describe, inject, onTestFinished } from 'vitest';
import { createDatabase, dropDatabase, openPool } from '../../../core/test/support/postgres-server.ts';
import { type OutboxDatabase, outboxContract } from '../../test/outbox-contract.ts';
import type { Query } from './index.ts';

async function openPostgres(): Promise<OutboxDatabase> {
  const connectionString = await createDatabase(inject('postgresUrl'));
  const pool = openPool({ connectionString });
  onTestFinished(async () => {
    await pool.end();
    await dropDatabase(connectionString);
  });
  const queryBy =
    (client: Pick<pg.Pool, 'query'>): Query =>
    async (sql, values) =>
      (await client.query<object>(sql, [...values])).rows;
  return {
    query: queryBy(pool),
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query('begin');
        await work(async (sql, values) => (await client.query<object>(sql, [...values])).rows);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback');
        throw error;
      } finally {
        client.release();
      }
    },
  };
}

describe('an outbox on Postgres', () => outboxContract('postgres', openPostgres));
