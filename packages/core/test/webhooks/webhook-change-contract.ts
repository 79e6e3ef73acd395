import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expireWebhooks } from '../../src/jobs/expire-webhooks.ts';
import { replayDeliveries, replayDelivery } from '../../src/management/replay-webhooks.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  pauseEndpoint,
  resumeEndpoint,
  sendTestEvent,
} from '../../src/management/webhook-endpoints.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { createTestMailer, type TestMailer } from '../support/test-mailer.ts';
import { openReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { makeWorld, unwrap, type World } from '../support/world.ts';

const DAY = 24 * 3_600_000;

/** Tests that a change during a webhook request takes effect after the request, whatever the result of the request. */
export function webhookChangeContract(kind: string, open: OpenEngine): void {
  describe(`changes during webhook requests on ${kind}`, () => {
    let world: World;
    let receiver: WebhookReceiver;
    let mailer: TestMailer;
    let id: number;

    beforeEach(async () => {
      receiver = await openReceiver();
      mailer = createTestMailer();
      const options = { webhookAllowHosts: [receiver.host], mailer, publicUrl: 'https://aff.example' };
      world = await makeWorld(await open(), {}, options);
      const url = `http://${receiver.host}/old`;
      const input = { url, event_types: ['lead.created' as const] };
      const { endpoint, secret } = unwrap(await createEndpoint(world.affkit.runtime, world.program, input));
      receiver.secrets.push(secret);
      id = endpoint.id;
    });
    afterEach(async () => {
      await world.affkit.close();
      await receiver.close();
    });

    const run = () => world.affkit.jobs.runOnce();
    const sendTest = async () => unwrap(await sendTestEvent(world.affkit.runtime, world.program, id));
    const endpoint = () =>
      world.engine.read.selectFrom('webhook_endpoints').selectAll().executeTakeFirstOrThrow();
    const deliveries = () =>
      world.engine.read.selectFrom('webhook_deliveries').selectAll().orderBy('id').execute();

    const listNotices = () => world.engine.read.selectFrom('notifications').select('kind').execute();

    /** Runs `change` during the first request. The first `count` requests then get `status`, and later ones succeed. */
    function answerFirst(count: number, status: number, change: () => Promise<unknown>): void {
      let changed: Promise<unknown> | null = null;
      let requests = 0;
      receiver.answer = async () => {
        if (++requests > count) return 204;
        changed ??= change();
        await changed;
        return status;
      };
    }
    const moveEndpoint = async () => {
      const url = `http://${receiver.host}/new`;
      unwrap(await changeEndpoint(world.affkit.runtime, world.program, id, { url }));
    };

    it.each(['delivery', 'time range'])(
      'queues nothing if the endpoint is deleted during a replay of a %s',
      async (scope) => {
        const { runtime } = world.affkit;
        const deliveryId = await sendTest();
        let deleted: Promise<unknown> | null = null;
        const write: typeof world.engine.write = async (...args) => {
          deleted ??= deleteEndpoint(runtime, world.program, id);
          await deleted;
          return await world.engine.write(...args);
        };
        const replaying = { ...runtime, engine: { ...world.engine, write } };
        const all = { from: 0, to: world.clock.now, status: 'all' as const };
        const outcome = await (scope === 'delivery'
          ? replayDelivery(replaying, world.program, id, deliveryId)
          : replayDeliveries(replaying, world.program, id, all));
        expect(outcome).toMatchObject({ code: 'not_found' });
        expect(await deliveries()).toMatchObject([{ status: 'failed', run_at: null }]);
      },
    );

    it.each([410, 500])('sends deliveries to a new URL after the old one returned %i', async (status) => {
      for (let count = 0; count < 8; count++) await sendTest();
      answerFirst(8, status, moveEndpoint);
      await run();
      expect(receiver.received.map(({ path }) => path)).toEqual(Array(8).fill('/new'));
      expect(await endpoint()).toMatchObject({ paused_at: null, failures: 0, blocked_until: 0 });
      expect(await listNotices()).toEqual([]);
    });

    it('sends a delivery again if it is replayed during its last attempt', async () => {
      const delivery = await sendTest();
      world.clock.now += 3 * DAY - 1;
      answerFirst(1, 500, async () => {
        expect(await replayDelivery(world.affkit.runtime, world.program, id, delivery)).toBeNull();
      });
      await run();
      expect(receiver.received).toHaveLength(1);
      expect(await deliveries()).toMatchObject([{ status: 'succeeded', attempts: 2 }]);
      expect(await listNotices()).toEqual([]);
    });

    it('does not give up a delivery that expires during its attempt', async () => {
      await sendTest();
      world.clock.now += 3 * DAY - 1;
      answerFirst(1, 204, async () => {
        world.clock.now += 1;
        await expireWebhooks(world.affkit.runtime);
      });
      await run();
      expect(await deliveries()).toMatchObject([{ status: 'succeeded', attempts: 1, last_error: null }]);
      expect(await listNotices()).toEqual([]);
    });

    it.each(['test event', 'replay', 'replay of a range'])(
      'tries a blocked endpoint after a %s',
      async (cause) => {
        const { affkit, clock, program } = world;
        for (let count = 0; count < 6; count++) await sendTest();
        receiver.answer = () => 500;
        await run();
        const { blocked_until, failures } = await endpoint();
        expect([failures, blocked_until > clock.now + 10_000]).toEqual([6, true]);
        receiver.answer = () => 204;
        if (cause === 'test event') await sendTest();
        else if (cause === 'replay') expect(await replayDelivery(affkit.runtime, program, id, 1)).toBeNull();
        else {
          const range = { from: clock.now, to: clock.now, status: 'all' as const };
          expect(await replayDeliveries(affkit.runtime, program, id, range)).toBe(6);
        }
        await run();
        expect(receiver.received).toHaveLength(cause === 'replay of a range' ? 6 : 1);
        expect(await endpoint()).toMatchObject({ failures: 0, blocked_until: 0 });
      },
    );

    it('tries a blocked endpoint again if a test event is queued during a failing request', async () => {
      for (let count = 0; count < 6; count++) await sendTest();
      receiver.answer = () => 500;
      await run();
      world.clock.now = (await endpoint()).blocked_until;
      answerFirst(1, 500, sendTest);
      await run();
      expect(receiver.received.length).toBeGreaterThan(0);
      expect(await endpoint()).toMatchObject({ failures: 0, blocked_until: 0 });
    });

    it('sends no email about a paused endpoint that was resumed before the email is sent', async () => {
      await sendTest();
      receiver.answer = () => 410;
      const refuse = () => {
        throw new Error('The mail server is unavailable');
      };
      mailer.onSend = refuse;
      await run();
      expect(await endpoint()).toMatchObject({ pause_reason: 'gone' });
      unwrap(await resumeEndpoint(world.affkit.runtime, world.program, id));
      mailer.onSend = () => {};
      world.clock.now += 3_600_000;
      await run();
      expect(mailer.accepted.filter(({ subject }) => subject.includes('paused'))).toEqual([]);
    });

    it('keeps a replayed old delivery until it is sent', async () => {
      const delivery = await sendTest();
      receiver.answer = () => 410;
      await run();
      world.clock.now += 30 * DAY - 1;
      expect(await replayDelivery(world.affkit.runtime, world.program, id, delivery)).toBeNull();
      world.clock.now += DAY;
      await run();
      receiver.answer = () => 204;
      unwrap(await resumeEndpoint(world.affkit.runtime, world.program, id));
      await run();
      expect(receiver.received).toHaveLength(1);
      await run();
      expect(await deliveries()).toEqual([]);
      expect(await world.engine.read.selectFrom('webhook_events').selectAll().execute()).toEqual([]);
    });

    it('continues immediately if an endpoint is paused and resumed during a request', async () => {
      await sendTest();
      answerFirst(1, 204, async () => {
        unwrap(await pauseEndpoint(world.affkit.runtime, world.program, id));
      });
      await run();
      unwrap(await resumeEndpoint(world.affkit.runtime, world.program, id));
      await sendTest();
      await run();
      expect(receiver.received).toHaveLength(2);
    });
  });
}
