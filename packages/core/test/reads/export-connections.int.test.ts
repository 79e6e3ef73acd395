import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { MAX_WAITING_MS } from '../../src/http/export-stream.ts';
import { type PostgresOptions, postgresEngine } from '../../src/storage/postgres.ts';
import { throughPooler } from '../support/pgbouncer.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { makeWorld, signInOwner } from '../support/world.ts';

async function openWorld(
  options: Partial<PostgresOptions> = {},
  setUp: (connectionString: string) => Promise<void> = async () => {},
) {
  const connectionString = await createMigratedDatabase(inject('postgresUrl'));
  await setUp(connectionString);
  const world = await makeWorld(postgresEngine({ ...throughPooler(connectionString), ...options }));
  onTestFinished(async () => {
    await world.affkit.close();
    await dropDatabase(connectionString);
  });
  const { authorization } = await signInOwner(world);
  const startExport = async () => {
    const reply = await world.affkit.handle({
      method: 'GET',
      path: `/api/advertiser/affiliate-programs/${world.program.id}/partners.csv`,
      query: new URLSearchParams(),
      header: (name) => (name === 'authorization' ? authorization : undefined),
      body: async () => new Uint8Array(),
      ip: null,
      secure: true,
    });
    return { status: reply?.status, body: reply?.body as ReadableStream };
  };
  return { world, startExport };
}

test('unread exports leave connections for other reads if maxReads is small', async () => {
  const { world, startExport } = await openWorld({ maxReads: 2 });
  const { status, body } = await startExport();
  onTestFinished(() => body.cancel());
  expect(status).toBe(200);
  expect((await startExport()).status).toBe(503);
  const click_id = await world.click('anna');
  expect((await world.track('lead', { click_id, customer_key: 'u1' })).status).toBe(200);
});

test('an export waits for its client even if the database ends idle transactions', async () => {
  const { startExport } = await openWorld({}, async (connectionString) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    const name = new URL(connectionString).pathname.slice(1);
    await client.query(`ALTER DATABASE ${name} SET idle_in_transaction_session_timeout = '100ms'`);
    await client.end();
  });
  const { body } = await startExport();
  await sleep(500);
  expect((await new Response(body).text()).trim().split('\r\n')).toHaveLength(1 + 2);
});

test('a snapshot waits for a client for longer than an export may wait', async () => {
  const { world } = await openWorld();
  const { rows } = await world.engine.snapshot((db) =>
    sql<{ timeout: number }>`SELECT setting::int AS timeout FROM pg_settings
      WHERE name = 'idle_in_transaction_session_timeout'`.execute(db),
  );
  expect(rows[0]?.timeout).toBeGreaterThan(MAX_WAITING_MS);
});
