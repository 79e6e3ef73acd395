import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProgram } from '../../src/management/programs.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { makeWorld, START, signInOwner, unwrap, type World } from '../support/world.ts';

interface Step {
  step: string;
  state: string;
  total: number;
  missing: { reason: string }[];
}

export function programSetupContract(kind: string, open: OpenEngine): void {
  describe(`the setup of a program on ${kind}`, () => {
    let world: World;
    let session: Record<string, string>;
    beforeEach(async () => {
      world = await makeWorld(await open());
      session = await signInOwner(world);
    });
    afterEach(() => world.affkit.close());

    const pathOf = (programId: number) => `/api/advertiser/affiliate-programs/${programId}`;
    const read = async (programId = world.program.id) => {
      const reply = await world.call('GET', `${pathOf(programId)}/integration`, undefined, session);
      expect(reply.status).toBe(200);
      return reply.body['data'] as { steps: Step[]; webhook: unknown; healthy: boolean };
    };
    const reasonsOf = ({ steps }: { steps: Step[] }) =>
      Object.fromEntries(steps.map(({ step, missing }) => [step, missing.map(({ reason }) => reason)]));
    const runTest = () => world.call('POST', `${pathOf(world.program.id)}/test-event`, {}, session);

    test('says what is missing in a new program, and why', async () => {
      const { program } = unwrap(
        await createProgram(world.affkit.runtime, world.workspaceId, {
          name: 'New',
          site_url: 'https://new.example',
          commission: { type: 'percent', rate: 20 },
          allowed_origins: ['https://elsewhere.example'],
        }),
      );
      const setup = await read(program.id);
      expect(setup).toMatchObject({ webhook: null, healthy: false });
      expect(setup.steps.map(({ step, state, total }) => [step, state, total])).toEqual(
        ['click', 'lead', 'sale', 'refund'].map((step) => [step, 'waiting', 0]),
      );
      expect(reasonsOf(setup)).toEqual({
        click: ['no_approved_partner', 'site_not_allowed', 'no_event'],
        lead: ['no_click', 'site_not_allowed', 'no_event'],
        sale: ['no_click', 'no_event'],
        refund: ['no_sale', 'processor_not_connected', 'no_event'],
      });
    });

    test('follows the chain from the first click to the refund', async () => {
      expect(reasonsOf(await read())).toMatchObject({ click: ['no_event'] });
      const click = await world.click('anna');
      await world.click('anna');
      await world.track('sale', { transaction_id: 't1', amount_cents: 0 });
      const afterClick = await read();
      expect(reasonsOf(afterClick)).toMatchObject({
        click: [],
        lead: ['no_event'],
        sale: ['last_call_rejected', 'no_event'],
      });
      const at = new Date(START).toISOString();
      expect(afterClick.steps[2]).toMatchObject({
        last_rejected: {
          code: 'amount_cents_required',
          reason: 'amount_cents is required and must be a positive integer',
          refused_at: at,
        },
      });
      await world.track('lead', { click_id: click, customer_key: 'u1' });
      await world.track('sale', { transaction_id: 't1', amount_cents: 1999, customer_key: 'u1' });
      await world.track('refund', { transaction_id: 't1' });
      const setup = await read();
      expect(setup.healthy).toBe(true);
      const received = {
        state: 'received',
        last_at: at,
        last_test_at: null,
        last_rejected: null,
        missing: [],
      };
      expect(setup.steps).toEqual([
        { step: 'click', ...received, total: 2 },
        { step: 'lead', ...received, total: 1 },
        { step: 'sale', ...received, total: 1 },
        { step: 'refund', ...received, total: 1 },
      ]);
    });

    test('shows the connection and its latest webhook', async () => {
      const connection = {
        processor: 'stripe',
        account_id: 'acct_1',
        webhook_secret: 'whsec_0123456789abcdef',
      };
      const created = await world.call(
        'POST',
        '/api/advertiser/processor-connections',
        { ...connection, workspace_id: world.workspaceId },
        session,
      );
      const { id } = created.body['data'] as { id: number };
      const before = await read();
      expect(before.webhook).toMatchObject({ connection_id: id, connected_at: null, last_at: null });
      expect(reasonsOf(before)).toMatchObject({ refund: ['no_sale', 'no_webhook', 'no_event'] });
      await world.engine.write(world.workspaceId, ({ db }) =>
        db
          .insertInto('processor_events')
          .values({
            connection_id: id,
            event_id: 'evt_1',
            workspace_id: world.workspaceId,
            type: 'charge.refunded',
            outcome: 'ignored',
            reason: 'no_metadata',
            program_id: null,
            sale_id: null,
            click_id: null,
            customer_key: null,
            event_at: START,
            received_at: START,
          })
          .execute(),
      );
      const after = await read();
      expect(after.webhook).toMatchObject({
        last_at: new Date(START).toISOString(),
        last_type: 'charge.refunded',
        last_outcome: 'ignored',
        last_reason: 'no_metadata',
      });
      expect(reasonsOf(after)).toMatchObject({ refund: ['no_sale', 'no_event'] });
    });

    test('the chain test records test events, and shares its rate limit with the route for tracking tokens', async () => {
      const { body } = await runTest();
      expect(body).toMatchObject({
        success: true,
        data: { healthy: true, steps: [{ ok: true }, { ok: true }, { ok: true }] },
      });
      const setup = await read();
      expect(setup).toMatchObject({ healthy: true });
      expect(setup.steps[0]).toMatchObject({
        state: 'tested',
        total: 0,
        last_test_at: new Date(START).toISOString(),
      });
      expect(reasonsOf(setup)).toMatchObject({ sale: ['no_click', 'only_test_events', 'no_event'] });
      const authorization = `Bearer ${world.token}`;
      for (let run = 0; run < 9; run++) {
        expect(
          (await world.call('POST', '/api/v1/cli/test-event', { type: 'chain' }, { authorization })).status,
        ).toBe(200);
      }
      expect(await runTest()).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
      const unknown = await world.call(
        'POST',
        `${pathOf(world.program.id)}/test-event`,
        { kind: 'chain' },
        session,
      );
      expect(unknown).toMatchObject({ status: 400, body: { code: 'invalid_field' } });
    });
  });
}
