import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliverWebhooks } from '../../src/jobs/deliver-webhooks.ts';
import { createEndpoint, pauseEndpoint, sendTestEvent } from '../../src/management/webhook-endpoints.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { afterResults } from '../support/after-results.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { addProgram, makeWorld, unwrap, type World } from '../support/world.ts';

/** A program can have this many endpoints. */
const ENDPOINTS_PER_PROGRAM = 20;
const PROGRAMS = 4;
const DAY = 24 * 3_600_000;

/** Endpoints that hang never delay an endpoint that works, however many of them hang. */
export function webhookIsolationContract(kind: string, open: OpenEngine): void {
  describe(`webhooks while endpoints hang on ${kind}`, () => {
    let world: World;
    let receiver: WebhookReceiver;

    beforeEach(async () => {
      receiver = await openReceiver();
      world = await makeWorld(await open(), {}, { webhookAllowHosts: [receiver.host] });
    });
    afterEach(async () => {
      await world.affkit.close();
      await receiver.close();
    });

    /** Adds an endpoint and queues a test event for it. @returns the id of the endpoint */
    async function addEndpoint(program: World['program'], path: string): Promise<number> {
      const { runtime } = world.affkit;
      const input = { url: `http://${receiver.host}${path}`, event_types: ['lead.created' as const] };
      const { endpoint, secret } = unwrap(await createEndpoint(runtime, program, input));
      receiver.secrets.push(secret);
      unwrap(await sendTestEvent(runtime, program, endpoint.id));
      return endpoint.id;
    }

    it.each([
      ['have never answered', null],
      ['answered until now', 0],
    ])('delivers to a working endpoint while 80 others hang (they %s)', async (_name, sinceLastSuccessMs) => {
      const live = await addEndpoint(world.program, '/live');
      await world.affkit.jobs.runOnce();
      expect(receiver.received).toHaveLength(1);
      for (let count = 0; count < PROGRAMS; count++) {
        const { program } = await addProgram(world, world.workspaceId, `partner-${count}`);
        for (let index = 0; index < ENDPOINTS_PER_PROGRAM; index++) await addEndpoint(program, '/dead');
      }
      if (sinceLastSuccessMs !== null) {
        await world.engine.write(0, (tx) =>
          tx.db
            .updateTable('webhook_endpoints')
            .set({ last_success_at: world.clock.now - sinceLastSuccessMs })
            .execute(),
        );
      }
      // The last delivery was to the working endpoint, so the order of delivery puts all other endpoints first.
      unwrap(await sendTestEvent(world.affkit.runtime, world.program, live));
      const { promise: released, resolve: release } = Promise.withResolvers<number>();
      const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
      let hanging = 0;
      receiver.answer = ({ path }) => {
        if (path === '/live') {
          arrive();
          return 200;
        }
        hanging += 1;
        return released;
      };
      const running = world.affkit.jobs.runOnce();
      await arrived;
      expect(receiver.received.map(({ path }) => path)).not.toContain('/dead');
      release(500);
      await running;
      expect(hanging).toBeGreaterThanOrEqual(PROGRAMS * ENDPOINTS_PER_PROGRAM);
      expect(receiver.received.map(({ path }) => path)).toEqual(['/live', '/live']);
    });

    it('gives up the expired events of a paused endpoint while webhooks to other endpoints are sent', async () => {
      const { affkit, clock, engine, program } = world;
      const paused = await addEndpoint(program, '/paused');
      unwrap(await pauseEndpoint(affkit.runtime, program, paused));
      await addEndpoint(program, '/slow');
      const { promise: released, resolve: release } = Promise.withResolvers<number>();
      const { promise: requested, resolve: request } = Promise.withResolvers<void>();
      receiver.answer = () => {
        request();
        return released;
      };
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      try {
        affkit.jobs.start();
        await requested;
        clock.now += 3 * DAY;
        const isExpired = async () => {
          await vi.advanceTimersByTimeAsync(5_000);
          const { status } = await engine.read
            .selectFrom('webhook_deliveries')
            .select('status')
            .where('endpoint_id', '=', paused)
            .executeTakeFirstOrThrow();
          return status === 'failed';
        };
        for (let tries = 0; tries < 100 && !(await isExpired()); tries++) await sleep(10);
        expect(await isExpired()).toBe(true);
      } finally {
        vi.useRealTimers();
        release(200);
        await affkit.jobs.stop();
      }
    });

    it('delivers an event that arrives during a slow request, even if the request ends during a search for due endpoints', async () => {
      const { runtime } = world.affkit;
      const { engine } = runtime;
      const id = await addEndpoint(world.program, '/slow');
      const { promise: released, resolve: release } = Promise.withResolvers<number>();
      const { promise: requested, resolve: request } = Promise.withResolvers<void>();
      const { promise: stored, resolve: store } = Promise.withResolvers<void>();
      receiver.answer = () => {
        request();
        return released;
      };
      let emptySearches = 0;
      const read = afterResults(engine.read, async (rows) => {
        if (rows.length > 0 || ++emptySearches !== 2) return;
        // This search found nothing because the endpoint was leased.
        await requested;
        unwrap(await sendTestEvent(runtime, world.program, id));
        release(200);
        await stored;
        await new Promise(setImmediate);
      });
      let writes = 0;
      const write: Engine['write'] = async (...args) => {
        const result = await engine.write(...args);
        // The first write leases the endpoint, and the second one stores the result of the request.
        if (++writes === 2) store();
        return result;
      };
      await deliverWebhooks({ ...runtime, engine: { ...engine, read, write } });
      expect(receiver.received).toHaveLength(2);
    });
  });
}
