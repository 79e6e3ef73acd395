import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { countStatuses, runConcurrently } from '../support/management-world.ts';
import { addProgram, makeWorld, START, signInOwner, type World } from '../support/world.ts';

const MINUTE = 60_000;

export function testChainContract(kind: string, open: OpenEngine): void {
  describe(`the chain test on ${kind}`, () => {
    let world: World;
    beforeEach(async () => {
      world = await makeWorld(await open());
    });
    afterEach(() => world.affkit.close());

    const run = (body: unknown = { type: 'chain' }, token = world.token) =>
      world.call('POST', '/api/v1/cli/test-event', body, { authorization: `Bearer ${token}` });
    const manage = async (path: string, body: unknown) => {
      const target = `/api/advertiser/affiliate-programs/${world.program.id}${path}`;
      const reply = await world.call('PUT', target, body, await signInOwner(world));
      expect(reply.status).toBe(200);
    };
    const passed = (step: string) => ({
      step,
      ok: true,
      message: `Test ${step} recorded`,
      data: { eventId: expect.any(Number), programId: world.program.id, test_mode: true },
    });

    test('records click, lead and sale in test mode, and changes no real data', async () => {
      expect(await run()).toMatchObject({
        status: 200,
        body: {
          success: true,
          type: 'chain',
          program_id: world.program.id,
          healthy: true,
          steps: ['click', 'lead', 'sale'].map(passed),
        },
      });
      for (const table of ['click_events', 'lead_events', 'sales'] as const) {
        const rows = await world.engine.read.selectFrom(table).select('is_test').execute();
        expect(rows).toEqual([{ is_test: 1 }]);
      }
      expect(await world.engine.read.selectFrom('customers').select('id').execute()).toEqual([]);
      expect(await world.engine.read.selectFrom('ledger_entries').select('id').execute()).toEqual([]);
      const status = await world.call('GET', '/api/v1/cli/status', undefined, {
        authorization: `Bearer ${world.token}`,
      });
      expect(status.body).toMatchObject({ healthy: true });
    });

    test('reports a failed click step when the program has no active link', async () => {
      for (const { partnerId } of [world.anna, world.ben]) {
        await manage(`/partners/${partnerId}`, { status: 'banned' });
      }
      expect((await run()).body).toMatchObject({
        healthy: false,
        steps: [
          {
            step: 'click',
            ok: false,
            code: 'referral_link_not_found',
            message:
              'The program has no active link of an approved partner. Approve a partner, or activate a link.',
          },
          passed('lead'),
          passed('sale'),
        ],
      });
    });

    test('reports the failed steps when the site’s origin is not allowed', async () => {
      await manage('', { allowed_origins: ['https://elsewhere.example'] });
      const rejected = { ok: false, code: 'origin_not_allowed', message: 'Origin not allowed' };
      expect((await run()).body).toMatchObject({
        healthy: false,
        steps: [{ step: 'click', ...rejected }, { step: 'lead', ...rejected }, passed('sale')],
      });
    });

    test('rejects any type other than chain, without counting it as a run', async () => {
      for (const body of [{}, { type: 'click' }, { type: 5 }, { type: ['chain'] }, { type: '' }]) {
        expect(await run(body)).toMatchObject({
          status: 400,
          body: { error: 'type must be chain', code: 'invalid_field' },
        });
      }
      expect(await run({ type: 'chain' }, 'aff_wrong')).toMatchObject({ status: 401 });
      expect(await world.engine.read.selectFrom('chain_tests').select('id').execute()).toEqual([]);
    });

    test('returns 429 with Retry-After after 10 runs in an hour', async () => {
      for (let minute = 0; minute < 10; minute++) {
        expect((await run()).status).toBe(200);
        world.clock.now += MINUTE;
      }
      world.clock.now = START + 59 * MINUTE + 30_500;
      expect(await run()).toMatchObject({
        status: 429,
        headers: { 'retry-after': '30', 'x-should-retry': 'true' },
        body: { code: 'rate_limited' },
      });
      world.clock.now = START + 60 * MINUTE;
      expect((await run()).status).toBe(200);
      expect(await run()).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
      expect(await world.engine.read.selectFrom('chain_tests').select('id').execute()).toHaveLength(10);
    });

    test('allows 10 of 11 concurrent runs, and counts the runs of each program separately', async () => {
      expect(countStatuses(await runConcurrently(11, () => run()))).toEqual({ 200: 10, 429: 1 });
      const otherProgram = await addProgram(world, world.workspaceId, 'cora');
      expect((await run(undefined, otherProgram.token)).status).toBe(200);
    });
  });
}
