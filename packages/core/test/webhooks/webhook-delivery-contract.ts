import type { SubscribableEventType } from '@affkit/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import { replayDeliveries, replayDelivery } from '../../src/management/replay-webhooks.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  pauseEndpoint,
  resumeEndpoint,
  rotateEndpointSecret,
  sendTestEvent,
} from '../../src/management/webhook-endpoints.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { readDeadLetters } from '../../src/storage/reads/backlog.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { SILENT } from '../support/silent-logger.ts';
import { createTestMailer, type TestMailer } from '../support/test-mailer.ts';
import { waitUntil } from '../support/wait-until.ts';
import { openReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { makeWorld, SECRET, unwrap, type World } from '../support/world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Deliveries are tried until they succeed or expire, and a broken endpoint affects only itself. */
export function webhookDeliveryContract(kind: string, open: OpenEngine): void {
  describe(`webhook deliveries on ${kind}`, () => {
    let world: World;
    let engine: Engine;
    let receiver: WebhookReceiver;
    let mailer: TestMailer;

    beforeEach(async () => {
      receiver = await openReceiver();
      engine = await open();
      mailer = createTestMailer();
      world = await makeWorld(
        engine,
        {},
        { webhookAllowHosts: [receiver.host], mailer, publicUrl: 'https://aff.example' },
      );
    });
    afterEach(async () => {
      await world.affkit.close();
      await receiver.close();
    });

    async function subscribe(
      path = '/hook',
      event_types: SubscribableEventType[] = ['lead.created'],
    ): Promise<number> {
      const url = `http://${receiver.host}${path}`;
      const created = await createEndpoint(world.affkit.runtime, world.program, { url, event_types });
      const { endpoint, secret } = unwrap(created);
      receiver.secrets.push(secret);
      return endpoint.id;
    }

    async function lead(key: string): Promise<void> {
      const click_id = await world.click('anna');
      const { status } = await world.track('lead', { click_id, customer_key: key });
      expect(status).toBe(200);
    }

    const run = () => world.affkit.jobs.runOnce();
    const deliveries = () => engine.read.selectFrom('webhook_deliveries').selectAll().orderBy('id').execute();
    const attempts = () => engine.read.selectFrom('webhook_attempts').selectAll().orderBy('id').execute();
    const endpointRow = (id: number) =>
      engine.read.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

    it('retries with growing delays, with the same id and body, until it succeeds', async () => {
      await subscribe();
      const ids: string[] = [];
      const bodies: string[] = [];
      receiver.answer = ({ id, event }) => {
        ids.push(id);
        bodies.push(JSON.stringify(event));
        return ids.length < 4 ? 500 : 200;
      };
      await lead('a');
      const delays: number[] = [];
      await run();
      for (let [delivery] = await deliveries(); delivery?.run_at; [delivery] = await deliveries()) {
        delays.push(delivery.run_at - world.clock.now);
        world.clock.now = delivery.run_at - 1;
        await run();
        expect(ids).toHaveLength(delays.length);
        world.clock.now += 1;
        await run();
      }
      expect([ids.length, new Set(ids).size, new Set(bodies).size]).toEqual([4, 1, 1]);
      expect(
        delays
          .map((delay, index) => delay / (10_000 * 2.5 ** index))
          .every((part) => part >= 0.8 && part <= 1.2),
      ).toBe(true);
      expect(await deliveries()).toMatchObject([
        { status: 'succeeded', attempts: 4, run_at: null, last_status: 200 },
      ]);
      expect(await attempts()).toMatchObject([
        { attempt: 1, status: 500, response_body: 'status 500', error: 'The endpoint answered with 500.' },
        { attempt: 2, status: 500 },
        { attempt: 3, status: 500 },
        { attempt: 4, status: 200, error: null },
      ]);
      expect(receiver.rejected).toBe(0);
    });

    it('gives up a delivery after three days, and notifies the advertiser once a day', async () => {
      const id = await subscribe();
      receiver.answer = () => 500;
      await lead('a');
      await lead('b');
      const end = world.clock.now + 3 * DAY;
      let tries = 0;
      while ((await deliveries()).some(({ status }) => status === 'queued')) {
        await run();
        const times = (await deliveries()).flatMap(({ run_at }) => run_at ?? []);
        const { blocked_until } = await endpointRow(id);
        if (times.length > 0)
          world.clock.now = Math.max(Math.min(...times), blocked_until, world.clock.now + 1);
        expect(++tries).toBeLessThan(200);
      }
      expect(world.clock.now).toBeGreaterThan(end - 7 * HOUR);
      const rows = await deliveries();
      expect(rows).toMatchObject([
        { status: 'failed', run_at: null },
        { status: 'failed', run_at: null },
      ]);
      expect(rows.every((row) => row.attempts >= 15 && row.attempts <= 40)).toBe(true);
      const notifications = await engine.read
        .selectFrom('notifications')
        .selectAll()
        .where('kind', '=', 'webhook_failed')
        .execute();
      const days = new Set(rows.map(({ finished_at }) => Math.floor((finished_at ?? 0) / DAY)));
      expect(notifications).toHaveLength(days.size);
      expect(JSON.parse(notifications[0]?.payload ?? '')).toMatchObject({
        endpointId: id,
        host: receiver.host,
      });
      await run();
      const mails = mailer.accepted.filter(({ subject }) =>
        subject.startsWith('Webhooks were not delivered'),
      );
      expect(mails).toHaveLength(days.size);
      expect(mails[0]?.text).toContain(new URL(receiver.url).host);
      const page = `https://aff.example/app/p/${world.program.id}/webhooks/${id}`;
      expect(mails[0]?.text).toContain(`${page}?status=failed`);
    });

    it('pauses an endpoint that answers with 410, until it is resumed', async () => {
      const id = await subscribe();
      receiver.answer = () => 410;
      await lead('a');
      await run();
      expect(await endpointRow(id)).toMatchObject({ pause_reason: 'gone', paused_at: world.clock.now });
      expect(await deliveries()).toMatchObject([{ status: 'failed', attempts: 1 }]);
      receiver.answer = () => 200;
      await lead('b');
      await run();
      expect(receiver.received).toEqual([]);
      unwrap(await resumeEndpoint(world.affkit.runtime, world.program, id));
      await run();
      expect(receiver.received).toMatchObject([{ event: { data: { customer_key: 'b' } } }]);
      const kinds = await engine.read.selectFrom('notifications').select('kind').execute();
      expect(kinds.filter((row) => row.kind === 'webhook_paused')).toHaveLength(1);
      const [mail] = mailer.accepted.filter(({ subject }) =>
        subject.startsWith('A webhook endpoint is paused'),
      );
      expect(mail?.text).toMatch(new RegExp(`/p/${world.program.id}/webhooks/${id}$`, 'm'));
    });

    it.each([301, 302, 307, 400, 404, 429, 503])('counts the status %i as a failure', async (status) => {
      await subscribe();
      receiver.answer = () => status;
      await lead('a');
      await run();
      expect(await deliveries()).toMatchObject([{ status: 'queued', attempts: 1, last_status: status }]);
      expect(receiver.received).toEqual([]);
    });

    it('keeps the deliveries of a paused endpoint for three days', async () => {
      const id = await subscribe();
      unwrap(await pauseEndpoint(world.affkit.runtime, world.program, id));
      await lead('a');
      await run();
      world.clock.now += 2 * DAY;
      await lead('b');
      world.clock.now += DAY;
      await run();
      unwrap(await resumeEndpoint(world.affkit.runtime, world.program, id));
      await run();
      expect(receiver.received).toMatchObject([{ event: { data: { customer_key: 'b' } } }]);
      expect(await deliveries()).toMatchObject([{ status: 'failed', attempts: 0 }, { status: 'succeeded' }]);
    });

    it('signs with both secrets for a day after a rotation', async () => {
      const id = await subscribe();
      const [oldSecret = ''] = receiver.secrets.splice(0);
      const { secret } = unwrap(await rotateEndpointSecret(world.affkit.runtime, world.program, id));
      for (const known of [oldSecret, secret]) {
        receiver.secrets.splice(0, 1, known);
        await lead(known);
        await run();
      }
      expect(receiver.received).toHaveLength(2);
      world.clock.now += DAY;
      receiver.secrets.splice(0, 1, oldSecret);
      await lead('late');
      await run();
      expect([receiver.received.length, receiver.rejected]).toEqual([2, 1]);
      // The secret is stored encrypted, and not in the audit log.
      const rows = JSON.stringify([
        await engine.read.selectFrom('webhook_endpoints').selectAll().execute(),
        await engine.read.selectFrom('audit_log').selectAll().execute(),
      ]);
      expect(rows).toContain('webhook_endpoint.rotate_secret');
      for (const each of [oldSecret, secret]) expect(rows).not.toContain(each.slice(6));
    });

    it('sends nothing to a deleted endpoint', async () => {
      const id = await subscribe();
      await lead('a');
      unwrap(await deleteEndpoint(world.affkit.runtime, world.program, id));
      await lead('b');
      await run();
      expect(receiver.received).toEqual([]);
      expect(await deliveries()).toMatchObject([{ status: 'failed', run_at: null }]);
      // A delivery to a deleted endpoint cannot be sent again, so it is not counted as a dead letter.
      expect((await readDeadLetters(engine.read)).webhooks).toBe(0);
      const program = await world.affkit.runtime.findProgram(world.program.id);
      expect(program?.webhookEvents).toEqual([]);
    });

    it('stores an event only if an endpoint of the program subscribes to its type', async () => {
      await lead('a');
      const id = await subscribe();
      unwrap(await changeEndpoint(world.affkit.runtime, world.program, id, { event_types: ['payout.paid'] }));
      await lead('b');
      expect(await engine.read.selectFrom('webhook_events').selectAll().execute()).toEqual([]);
    });

    it('blocks an endpoint after five failures, and then makes single attempts until one succeeds', async () => {
      const id = await subscribe();
      for (let count = 0; count < 25; count++) await lead(`key-${count}`);
      receiver.answer = () => 500;
      await run();
      // The first run makes ten attempts at the same time. All of them fail, and the endpoint is then blocked.
      expect(await attempts()).toHaveLength(10);
      const blocked = await endpointRow(id);
      expect(blocked.failures).toBe(10);
      expect(blocked.blocked_until).toBeGreaterThan(world.clock.now);
      world.clock.now = blocked.blocked_until;
      await run();
      expect(await attempts()).toHaveLength(11);
      receiver.answer = () => 200;
      world.clock.now = (await endpointRow(id)).blocked_until;
      await run();
      expect(await endpointRow(id)).toMatchObject({ failures: 0, blocked_until: 0 });
      expect(receiver.received.length).toBeGreaterThanOrEqual(14);
    });

    it('delivers to other endpoints while one does not answer', async () => {
      await subscribe('/slow');
      await subscribe('/fast');
      const { promise: released, resolve: release } = Promise.withResolvers<number>();
      receiver.answer = ({ path }) => (path === '/slow' ? released : 200);
      await lead('a');
      const running = run();
      const fast = () => receiver.received.filter(({ path }) => path === '/fast').length;
      await waitUntil(() => fast() === 1);
      // An event that arrives during the slow request is delivered before the slow endpoint answers.
      await lead('b');
      await waitUntil(() => fast() === 2);
      release(200);
      await running;
      expect(receiver.received).toHaveLength(4);
    });

    it('sends at most ten requests to an endpoint at the same time, over all processes', async () => {
      await subscribe();
      for (let count = 0; count < 40; count++) await lead(`key-${count}`);
      let running = 0;
      let most = 0;
      receiver.answer = async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running -= 1;
        return 200;
      };
      const others = Array.from({ length: 3 }, () =>
        createAffkit({
          engine: engine,
          secret: SECRET,
          now: () => world.clock.now,
          logger: SILENT,
          webhookAllowHosts: [receiver.host],
        }),
      );
      await Promise.all([run(), ...others.map((other) => other.jobs.runOnce())]);
      await run();
      expect(most).toBeLessThanOrEqual(10);
      const ids = receiver.received.map(({ id }) => id);
      expect([ids.length, new Set(ids).size]).toEqual([40, 40]);
    });

    it('sends a delivery again when the process ended before it stored the result', async () => {
      await subscribe();
      await lead('a');
      // Simulates a process that was killed after it had leased the endpoint.
      const leased = { leased_until: world.clock.now + 60_000, lease: 1 };
      await engine.write(0, (tx) => tx.db.updateTable('webhook_endpoints').set(leased).execute());
      await run();
      expect(receiver.received).toEqual([]);
      world.clock.now += 60_000;
      await run();
      expect(receiver.received).toHaveLength(1);
    });

    it('replays one delivery, or those of a time range, with the same id', async () => {
      const { runtime } = world.affkit;
      const id = await subscribe();
      const from = world.clock.now;
      for (const key of ['a', 'b', 'c']) {
        await lead(key);
        await run();
        world.clock.now += HOUR;
      }
      const [first] = await deliveries();
      expect(await replayDelivery(runtime, world.program, id, first?.id ?? 0)).toBeNull();
      await run();
      const ids = receiver.received.map((webhook) => webhook.id);
      expect(ids).toHaveLength(4);
      expect(ids[3]).toBe(ids[0]);
      const to = world.clock.now - 2 * HOUR;
      expect(await replayDeliveries(runtime, world.program, id, { from, to })).toBe(0);
      expect(await replayDeliveries(runtime, world.program, id, { from, to, status: 'all' })).toBe(2);
      await run();
      expect(receiver.received.slice(4).map((webhook) => webhook.id)).toEqual(ids.slice(0, 2));
      expect(await replayDeliveries(runtime, world.program, id, { from: to, to: from })).toMatchObject({
        code: 'invalid_field',
      });
    });

    it('sends a test event to one endpoint only', async () => {
      const id = await subscribe('/one');
      await subscribe('/other');
      unwrap(await sendTestEvent(world.affkit.runtime, world.program, id));
      await run();
      expect(receiver.received).toMatchObject([
        { path: '/one', event: { type: 'webhook.test', data: { endpoint_id: id } } },
      ]);
    });

    it('does not send to a private address that is not allowed', async () => {
      await subscribe();
      await engine.write(0, (tx) =>
        tx.db.updateTable('webhook_endpoints').set({ url: 'https://127.0.0.1:1/' }).execute(),
      );
      await lead('a');
      await run();
      expect(await attempts()).toMatchObject([
        { status: null, error: expect.stringContaining('not on the internet') },
      ]);
      const input = { url: 'https://169.254.169.254/', event_types: ['lead.created' as const] };
      expect(await createEndpoint(world.affkit.runtime, world.program, input)).toMatchObject({
        code: 'invalid_field',
      });
    });

    it('deletes events, deliveries, and their log after 30 days', async () => {
      await subscribe();
      await lead('a');
      await run();
      world.clock.now += 31 * DAY;
      await run();
      expect([await deliveries(), await attempts()]).toEqual([[], []]);
      expect(await engine.read.selectFrom('webhook_events').selectAll().execute()).toEqual([]);
    });

    it('creates at most 20 endpoints, even if the requests are concurrent', async () => {
      const input = { url: receiver.url, event_types: ['lead.created' as const] };
      const results = await Promise.all(
        Array.from({ length: 25 }, () => createEndpoint(world.affkit.runtime, world.program, input)),
      );
      expect(results.filter((result) => 'secret' in result)).toHaveLength(20);
    });
  });
}
