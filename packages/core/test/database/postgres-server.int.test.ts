import pg from 'pg';
import { afterAll, expect, inject, test } from 'vitest';
import { createDatabase, startPostgres } from '../support/postgres-server.ts';

const servers: { stop(): Promise<void> }[] = [];

afterAll(async () => {
  for (const server of servers) await server.stop();
});

async function query<R>(url: string, text: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows as R[];
  } finally {
    await client.end();
  }
}

test('the shared server creates empty, separate databases', async () => {
  const urls = [await createDatabase(inject('postgresUrl')), await createDatabase(inject('postgresUrl'))];
  for (const url of urls) await query(url, 'CREATE TABLE things (id int)');
  expect(new Set(urls).size).toBe(2);
});

test('a server that is killed and restarted keeps committed rows', async () => {
  const server = await startPostgres();
  servers.push(server);
  const url = await server.createDatabase();
  await query(url, 'CREATE TABLE things AS SELECT 7 AS id');
  await server.kill();
  await expect(query(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  await server.restart();
  expect(await query(url, 'SELECT id FROM things')).toEqual([{ id: 7 }]);
});
