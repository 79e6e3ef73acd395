import { sqliteEngine } from '@affkit/core/sqlite';
import { expect, test } from 'vitest';
import { memoryKinds } from '../../../core/test/support/engine-kinds.ts';
import { openReceiver } from '../../../core/test/support/webhook-receiver.ts';
import { makeWorld, signInOwner } from '../../../core/test/support/world.ts';
import { captureCommand } from '../../test/run-cli.ts';
import { runStatus } from './status-command.ts';

async function run(engine: Parameters<typeof runStatus>[0], json: boolean) {
  const { code, stdout } = await captureCommand(() => runStatus(engine), { json });
  return { code, stdout };
}

test('prints lines for people and JSON for scripts', async () => {
  const [open] = Object.values(memoryKinds);
  if (!open) throw new Error('memoryKinds must contain a database');
  const world = await makeWorld(await open());
  try {
    await world.click('anna');
    const { code, stdout } = await run(world.engine, false);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^Affkit \d+\.\d+\.\d+/),
      expect.stringMatching(/^Database: SQLite \d+\.\d+\.\d+$/),
      expect.stringMatching(/^Migrations: \d+ applied, 0 pending$/),
      expect.stringMatching(/^Tables: .+ KiB, the largest are .+ KiB$/),
      'Outbox: 0 waiting, 0 failing',
      'Jobs: 0 emails, 0 unsealed ledger entries, 0 payments and 0 payouts in progress',
      'Webhooks: 0 queued, 0 failing, 0 blocked and 0 paused endpoints',
      'Dead letters: 0 emails, 0 webhooks, 0 payouts with an unknown outcome',
      expect.stringMatching(
        /^Program \d+ \(Shop program\): last click 2026-06-15T12:00:00\.000Z, lead never, sale never; in 24 hours /,
      ),
      '',
    ]);
    expect(JSON.parse((await run(world.engine, true)).stdout)).toMatchObject({
      database: { dialect: 'sqlite' },
      data: {
        backlog: { outbox: { oldestAt: null } },
        programs: [{ lastAt: { click: '2026-06-15T12:00:00.000Z', lead: null, sale: null } }],
      },
    });
  } finally {
    await world.affkit.close();
  }
});

test('counts queued, failing, and dead webhooks, and blocked and paused endpoints', async () => {
  const [open] = Object.values(memoryKinds);
  if (!open) throw new Error('memoryKinds must contain a database');
  const receiver = await openReceiver();
  const world = await makeWorld(await open(), {}, { webhookAllowHosts: [receiver.host] });
  const { jobs } = world.affkit;
  const session = await signInOwner(world);
  const ask = (path: string, body: object = {}) =>
    world.call(
      'POST',
      `/api/advertiser/affiliate-programs/${world.program.id}/webhook-endpoints${path}`,
      body,
      session,
    );
  const ids: number[] = [];
  for (let count = 0; count < 3; count++) {
    const { body } = await ask('', { url: receiver.url, event_types: ['lead.created'] });
    ids.push((body['data'] as { id: number }).id);
  }
  const [failing = 0, blocked = 0, paused = 0] = ids;
  for (const id of [failing, blocked, paused]) expect((await ask(`/${id}/test`)).status).toBeLessThan(300);
  await ask(`/${paused}/pause`);
  // The receiver does not have the signing secrets, so it rejects every webhook.
  await jobs.runOnce();
  await world.engine.write(1, ({ db }) =>
    db
      .updateTable('webhook_endpoints')
      .set({ blocked_until: Date.now() + 60_000 })
      .where('id', '=', blocked)
      .execute(),
  );
  await world.engine.write(1, ({ db }) =>
    db
      .updateTable('webhook_deliveries')
      .set({ status: 'failed', run_at: null })
      .where('endpoint_id', '=', blocked)
      .execute(),
  );
  expect((await runStatus(world.engine)).data).toMatchObject({
    data: {
      backlog: { webhooks: { queued: 2, failing: 1, blockedEndpoints: 1, pausedEndpoints: 1 } },
      deadLetters: { webhooks: 1 },
    },
  });
  await world.affkit.close();
  await receiver.close();
});

test('says that a database without tables must be migrated', async () => {
  const engine = sqliteEngine({ path: ':memory:' });
  expect(await run(engine, false)).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /Migrations: 0 applied, \d+ pending\nRun affkit migrate, or start the server\./,
    ),
  });
  expect(JSON.parse((await run(engine, true)).stdout)).toMatchObject({ data: null });
  await engine.close();
});
