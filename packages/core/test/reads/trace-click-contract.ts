import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeProgram } from '../../src/management/programs.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { type Step, summarizeSteps, TraceClient } from '../support/trace-client.ts';
import { addProgram, enroll, makeWorld, type World } from '../support/world.ts';

export function traceClickContract(kind: string, open: OpenEngine): void {
  describe(`click steps of a trace on ${kind}`, () => {
    let world: World;
    let tracer: TraceClient;
    let click: string;
    beforeEach(async () => {
      world = await makeWorld(await open());
      tracer = await TraceClient.of(world);
    });
    afterEach(() => world.affkit.close());

    async function clickAgain(code: string): Promise<void> {
      world.clock.now += 1;
      await world.click(code, { existing_click_id: click });
    }

    async function change(settings: object): Promise<void> {
      world.clock.now += 1;
      expect(await tracer.manage('PUT', '', settings)).toMatchObject({ status: 200 });
    }

    async function clickReasons(): Promise<string[]> {
      const steps = summarizeSteps(await tracer.steps(`click_id=${click}`));
      return steps.filter((text) => text.startsWith('click ')).map((text) => text.slice('click '.length));
    }

    test("each click step shows its effect on the customer's partner; after the lead, it shows that the partner is settled", async () => {
      click = await world.click('anna');
      await clickAgain('anna');
      await clickAgain('ben');
      world.clock.now += 1;
      await world.track('lead', { click_id: click });
      await clickAgain('anna');
      expect(summarizeSteps(await tracer.steps(`click_id=${click}`)).slice(0, 5)).toEqual([
        'click click_recorded',
        'click click_renews_window',
        'click click_moves_customer',
        'lead lead_from_server',
        'click partner_settled_by_lead',
      ]);
    });

    test('the trace, the event list, and the last click of the customer show the time of the visit', async () => {
      const click_date = new Date(world.clock.now).toISOString();
      const created_at = world.clock.now + 300_000;
      click = await world.click('anna');
      await world.engine.write(1, (tx) => tx.db.updateTable('click_events').set({ created_at }).execute());
      await tracer.pass(600_000);
      const { body } = await tracer.ask(`click_id=${click}`);
      const { customer, steps } = body['data'] as { customer: object; steps: Step[] };
      const at = new Date(created_at).toISOString();
      expect(steps[0]).toMatchObject({ at, reason: 'click_recorded', detail: { click_date } });
      expect(customer).toMatchObject({ last_click_at: click_date });
      expect(await tracer.listEvents('eventType=click')).toMatchObject([{ timestamp: click_date }]);
    });

    test.each([
      ['first_click', 'first_click', 'first_click_wins'],
      ['last_click', 'first_click', 'click_moves_customer'],
      ['first_click', 'last_click', 'first_click_wins'],
    ])(
      'use the model at the time of the click (%s); the program now uses %s',
      async (before, after, reason) => {
        await tracer.manage('PUT', '', { attribution_model: before });
        click = await world.click('anna');
        await clickAgain('ben');
        await tracer.manage('PUT', '', { attribution_model: after });
        expect(await clickReasons()).toEqual(['click_recorded', reason]);
      },
    );

    test('each click is explained with the attribution model at the time of the click', async () => {
      await enroll(world.affkit, world.program, 'cleo');
      click = await world.click('anna');
      await clickAgain('ben');
      await change({ attribution_model: 'first_click' });
      await clickAgain('cleo');
      await change({ name: 'Renamed' });
      world.clock.now += 1;
      await tracer.sell('t1', { click_id: click });
      const { body } = await tracer.ask('transaction_id=t1');
      const { customer, steps } = body['data'] as { customer: object; steps: Step[] };
      expect(customer).toMatchObject({ partner_id: world.ben.partnerId });
      expect(summarizeSteps(steps).slice(0, 3)).toEqual([
        'click click_recorded',
        'click click_moves_customer',
        'click first_click_wins',
      ]);
    });

    test('an attribution model that was set and unset between two clicks is ignored', async () => {
      click = await world.click('anna');
      await change({ attribution_model: 'first_click' });
      await change({ attribution_model: 'last_click' });
      await clickAgain('ben');
      await change({ attribution_model: 'first_click' });
      await clickAgain('anna');
      expect(await clickReasons()).toEqual(['click_recorded', 'click_moves_customer', 'first_click_wins']);
    });

    test("a click on a link of the customer's own partner renews the window", async () => {
      await change({ attribution_model: 'first_click' });
      click = await world.click('anna');
      await clickAgain('ben');
      await clickAgain('anna');
      await change({ attribution_model: 'last_click' });
      expect(await clickReasons()).toEqual(['click_recorded', 'first_click_wins', 'click_renews_window']);
    });

    test.each([
      ['click_events', 'clicks', 'click'],
      ['trace_notes', 'notes', 'note'],
      ['sales', 'sales', 'sale'],
    ] as const)('leave out the middle of a long list of %s', async (table, list, kind) => {
      click = await world.click('anna');
      await world.track('lead', { click_id: click, customer_key: 'key' });
      await tracer.sell('t1', { click_id: click });
      await world.engine.write(world.workspaceId, ({ db }) =>
        db
          .insertInto('trace_notes')
          .values({ program_id: world.program.id, customer_id: 1, reason: 'commission_owed', created_at: 0 })
          .execute(),
      );
      await addCopies(table, 1_200);
      const { body } = await tracer.ask(`click_id=${click}&pageSize=100`);
      const { total } = (body['meta'] as { pagination: { total: number } }).pagination;
      expect(total).toBeLessThan(1_020);
      const pages = Array.from({ length: Math.ceil(total / 100) }, (_, index) => index + 1);
      const steps: Step[] = [];
      for (const page of pages)
        steps.push(...(await tracer.steps(`click_id=${click}&pageSize=100&page=${page}`)));
      const omitted = steps.findIndex(({ reason }) => reason === 'rows_left_out');
      expect(steps[omitted]).toMatchObject({ step: 'note', why: expect.stringContaining(list) });
      const isListed = ({ step, reason }: Step) => step === kind && reason !== 'rows_left_out';
      expect(steps.slice(0, omitted).filter(isListed)).toHaveLength(500);
      expect(steps.slice(omitted).filter(isListed)).toHaveLength(500);
    });

    /** Copies the newest row. Each copy is a millisecond later than the previous copy. */
    async function addCopies(table: 'click_events' | 'trace_notes' | 'sales', count: number) {
      await world.engine.write(world.workspaceId, async ({ db }) => {
        const { id: _, ...row } = await db
          .selectFrom(table)
          .selectAll()
          .orderBy('id', 'desc')
          .executeTakeFirstOrThrow();
        for (let done = 0; done < count; done += 40) {
          const rows = Array.from({ length: 40 }, (_, index) => ({
            ...row,
            ...(table === 'sales' && { processor_event_id: `copy ${done + index}` }),
            created_at: row.created_at + done + index + 1,
          }));
          await db
            .insertInto(table)
            .values(rows as never)
            .execute();
        }
      });
    }

    test('a program keeps its initial attribution model when another program changes its own model', async () => {
      await world.affkit.close();
      world = await makeWorld(await open(), { attribution_model: 'first_click' });
      tracer = await TraceClient.of(world);
      const { program } = await addProgram(world, world.workspaceId, 'cora');
      click = await world.click('anna');
      await clickAgain('ben');
      world.clock.now += 1;
      const changed = await changeProgram(world.affkit.runtime, program, {
        attribution_model: 'first_click',
      });
      expect(changed).toMatchObject({ attributionModel: 'first_click' });
      expect(await clickReasons()).toEqual(['click_recorded', 'first_click_wins']);
    });
  });
}
