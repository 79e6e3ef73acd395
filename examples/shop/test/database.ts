import pg from 'pg';
import { inject } from 'vitest';

/** Makes an empty database on the Postgres server of the tests. @returns its url */
export async function createDatabase(): Promise<string> {
  const url = new URL(inject('postgresUrl'));
  const name = `shop_${Date.now()}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  url.pathname = name;
  return url.href;
}
