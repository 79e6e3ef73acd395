import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deleteProgram } from '../../src/management/programs.ts';
import { type Engine, OutcomeUnknown, type Work } from '../../src/storage/database/engine/engine.ts';
import type { LeadOutcome, LeadRequest } from '../../src/tracking/lead.ts';
import { createRecorders, type Recorders } from '../../src/tracking/recorders.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  addProgram,
  addWorkspaceInSameLane,
  createReporter,
  makeWorld,
  START,
  unwrap,
  type World,
} from '../support/world.ts';

const RECORDED = { kind: 'recorded' };
const already = (status: string) => ({
  code: 'lead_already_recorded',
  message: `Customer status cannot be updated to lead. Current status: ${status}`,
});

export function leadBatchContract(kind: string, open: OpenEngine): void {
  describe(`concurrent leads on ${kind}`, () => {
    let world: World;
    let write: Engine['write'];
    let recorder: Recorders['leads'];
    beforeEach(async () => {
      const engine = await open();
      write = engine.write;
      world = await makeWorld(engine);
      recorder = createRecorders({
        ...world.affkit.runtime,
        engine: { ...engine, write: (...call) => write(...call) },
      }).leads;
    });
    afterEach(() => auditAndClose(world));

    const lead = (
      mode: LeadRequest['reporter']['mode'],
      clickId: string | undefined,
      customerKey?: string,
      { program, ...fields }: { program?: LeadRequest['program']; event?: string } = {},
    ): LeadRequest => ({
      program: program ?? world.program,
      reporter: createReporter(mode),
      lead: {
        click_id: clickId,
        customer_key: customerKey,
        session_id: undefined,
        page_url: undefined,
        additional_data: { event_name: fields.event },
      },
      at: START,
      now: START,
    });
    /** Records all requests in one batch, in order. */
    const send = (...requests: LeadRequest[]): Promise<LeadOutcome[]> =>
      Promise.all(requests.map((request) => recorder.record(request)));
    const clicks = (count: number, code = 'anna') =>
      Promise.all(Array.from({ length: count }, () => world.click(code)));
    const customer = (clickId: string | undefined) =>
      world.engine.read
        .selectFrom('customers')
        .select(['status', 'customer_key', 'key_state'])
        .where('click_id', '=', clickId ?? '')
        .executeTakeFirst();
    const notes = async () =>
      (await world.engine.read.selectFrom('trace_notes').select('reason').orderBy('id').execute()).map(
        ({ reason }) => reason,
      );
    const countLeads = async () =>
      (await world.engine.read.selectFrom('lead_events').select('id').execute()).length;

    test('are recorded in database transactions of up to 100 leads each', async () => {
      const ids = await clicks(150);
      const sizes: number[] = [];
      const commit = write;
      write = async (lane, work, touched) => {
        const outcomes = await commit(lane, work, touched);
        if (Array.isArray(outcomes)) sizes.push(outcomes.length);
        return outcomes;
      };
      expect(await send(...ids.map((id) => lead('server', id)))).toEqual(Array(150).fill(RECORDED));
      expect(sizes).toEqual([100, 50]);
    });

    test('are recorded once per customer; the others are rejected with the customer’s status', async () => {
      const [id] = await clicks(1);
      expect(
        await send(lead('server', id, 'u1'), lead('browser', id), lead('server', undefined, 'u1')),
      ).toMatchObject([RECORDED, already('lead'), already('lead')]);
      expect(await countLeads()).toBe(1);
    });

    test('leave a claimed key with the first click if a later lead claims the key for another click', async () => {
      const [first, second] = await clicks(2);
      expect(await send(lead('browser', first, 'u1'), lead('browser', second, 'u1'))).toMatchObject([
        RECORDED,
        already('lead'),
      ]);
      expect(await customer(first)).toEqual({ status: 'lead', customer_key: 'u1', key_state: 'claimed' });
      expect(await customer(second)).toEqual({ status: 'click', customer_key: null, key_state: null });
    });

    test('move a claimed key once if they have a token, even if the key was claimed in the same batch', async () => {
      const [claimingClick, owner, late] = await clicks(3);
      expect(
        await send(
          lead('browser', claimingClick, 'u1'),
          lead('server', owner, 'u1'),
          lead('server', late, 'u1'),
          lead('browser', claimingClick, 'u2'),
        ),
      ).toMatchObject([RECORDED, RECORDED, already('lead'), already('lead')]);
      expect(await customer(claimingClick)).toEqual({
        status: 'lead',
        customer_key: 'u2',
        key_state: 'claimed',
      });
      expect(await customer(owner)).toEqual({ status: 'lead', customer_key: 'u1', key_state: 'verified' });
      expect(await customer(late)).toEqual({ status: 'click', customer_key: null, key_state: null });
      expect(await notes()).toEqual(['customer_key_claim_displaced']);
    });

    test('can use a key that an earlier lead of the batch released', async () => {
      const [third, first, second] = await clicks(3);
      await send(lead('browser', first, 'u1'), lead('browser', second, 'u2'));
      expect(
        await send(
          lead('server', first, 'u3'),
          lead('browser', third, 'u1'),
          lead('server', third, 'u2'),
          lead('server', second, 'u4'),
        ),
      ).toMatchObject([already('lead'), RECORDED, already('lead'), already('lead')]);
      expect(await Promise.all([first, second, third].map(customer))).toEqual([
        { status: 'lead', customer_key: 'u3', key_state: 'verified' },
        { status: 'lead', customer_key: 'u4', key_state: 'verified' },
        { status: 'lead', customer_key: 'u2', key_state: 'verified' },
      ]);
      expect(await notes()).toEqual(['customer_key_claim_replaced', 'customer_key_claim_displaced']);
    });

    test('change only customers of their own program, in a batch for several programs and workspaces', async () => {
      const sibling = await addProgram(world, world.workspaceId, 'carl');
      const foreign = await addProgram(world, await addWorkspaceInSameLane(world), 'dora');
      const [own, second, third] = [
        await world.click('anna'),
        await world.click('carl'),
        await world.click('dora'),
      ];
      expect(
        await send(
          lead('server', own, 'u1'),
          lead('server', second, 'u1', { program: sibling.program }),
          lead('server', third, 'u1', { program: foreign.program }),
          lead('server', own, 'u2', { program: foreign.program }),
          lead('server', undefined, 'u1', { program: sibling.program }),
        ),
      ).toMatchObject([RECORDED, RECORDED, RECORDED, { code: 'customer_of_other_program' }, already('lead')]);
      const counted = await world.engine.read
        .selectFrom('counters')
        .select(['program_id', 'value'])
        .where('measure', '=', 'leads')
        .orderBy('program_id')
        .execute();
      expect(counted).toEqual(
        [world.program, sibling.program, foreign.program].map(({ id }) => ({ program_id: id, value: 1 })),
      );
    });

    test('are rejected if their program was deleted, and the others of the batch are recorded', async () => {
      const deleted = await addProgram(world, world.workspaceId, 'carl');
      const [id, theirs] = [await world.click('anna'), await world.click('carl')];
      unwrap(await deleteProgram(world.affkit.runtime, deleted.program));
      expect(
        await send(
          lead('server', theirs, 'u1', { program: deleted.program }),
          lead('server', id, 'u1'),
          lead('browser', theirs, undefined, { program: deleted.program }),
        ),
      ).toMatchObject([{ code: 'token_invalid' }, RECORDED, { code: 'lead_customer_not_found' }]);
    });

    describe('of which one cannot be stored', () => {
      test('are all recorded except the one that cannot be stored, which changes nothing', async () => {
        const ids = await clicks(5);
        // Inserts a lead event without changing the status of its customer, as in a corrupt database.
        const planted = await world.engine.write(world.workspaceId, async ({ db }) => {
          const { id, program_id } = await db
            .selectFrom('customers')
            .select(['id', 'program_id'])
            .where('click_id', '=', ids[2] ?? '')
            .executeTakeFirstOrThrow();
          const row = {
            program_id,
            customer_id: id,
            source: 'server',
            is_test: 0,
            lead_at: 1,
            created_at: 1,
          } as const;
          return await db.insertInto('lead_events').values(row).returning('id').executeTakeFirstOrThrow();
        });
        const settled = await Promise.allSettled(
          ids.map((id, index) => recorder.record(lead('server', id, `u${index}`))),
        );
        expect(settled.map(({ status }) => status)).toEqual([
          'fulfilled',
          'fulfilled',
          'rejected',
          'fulfilled',
          'fulfilled',
        ]);
        expect(await customer(ids[2])).toEqual({ status: 'click', customer_key: null, key_state: null });
        await world.engine.write(world.workspaceId, ({ db }) =>
          db.deleteFrom('lead_events').where('id', '=', planted.id).execute(),
        );
        expect(await countLeads()).toBe(4);
      });
    });

    describe('in a batch', () => {
      test('are retried one by one if the commit fails, and are recorded once each', async () => {
        const ids = await clicks(4);
        const commit = write;
        write = async <T>(lane: number | 'clicks', work: Work<T>, touched?: () => readonly number[]) => {
          write = commit;
          return await commit(
            lane,
            async (tx) => {
              await work(tx);
              throw new Error('The commit failed');
            },
            touched,
          );
        };
        expect(await send(...ids.map((id, index) => lead('server', id, `u${index}`)))).toEqual(
          Array(4).fill(RECORDED),
        );
        expect(await countLeads()).toBe(4);
      });

      test('are not retried if the outcome of the commit is unknown', async () => {
        const ids = await clicks(3);
        const commit = write;
        let commits = 0;
        write = async (lane, work, touched) => {
          commits += 1;
          await commit(lane, work, touched);
          throw new OutcomeUnknown('The reply to COMMIT was lost');
        };
        const settled = await Promise.allSettled(ids.map((id) => recorder.record(lead('server', id))));
        expect(settled.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
        expect([commits, await countLeads()]).toEqual([1, 3]);
      });
    });

    test('do not overwrite the partner of a customer who clicks other links at the same time', async () => {
      const ids = await clicks(12);
      const clickAll = (code: string) => ids.map((id) => world.click(code, { existing_click_id: id }));
      const leads = send(...ids.map((id) => lead('server', id)));
      await Promise.all([...clickAll('ben'), ...clickAll('anna')]);
      expect(await leads).toEqual(Array(12).fill(RECORDED));
      // The audit after each test also compares the partners in the totals with the customers.
      expect(await countLeads()).toBe(12);
    });
  });
}
