import { expect, inject, onTestFinished, test } from 'vitest';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { throughPooler } from '../support/pgbouncer.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { makeWorld, signInOwner } from '../support/world.ts';

test('unread exports leave connections for other reads if maxReads is small', async () => {
  const connectionString = await createMigratedDatabase(inject('postgresUrl'));
  const world = await makeWorld(postgresEngine({ ...throughPooler(connectionString), maxReads: 2 }));
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
    const body = reply?.body;
    if (body instanceof ReadableStream) onTestFinished(() => body.cancel());
    return reply?.status;
  };
  expect(await startExport()).toBe(200);
  expect(await startExport()).toBe(503);
  const click_id = await world.click('anna');
  expect((await world.track('lead', { click_id, customer_key: 'u1' })).status).toBe(200);
});
