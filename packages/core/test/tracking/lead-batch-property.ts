import fc from 'fast-check';
import type { Selectable } from 'kysely';
import { expect, test } from 'vitest';
import { makeClickId } from '../../src/domain/click-id.ts';
import { isRejection } from '../../src/rejection.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import type { Schema } from '../../src/storage/database/schema.ts';
import type { ProgramAccount } from '../../src/storage/programs/programs.ts';
import type { LeadOutcome, LeadRequest } from '../../src/tracking/lead.ts';
import { createRecorders, type Recorders } from '../../src/tracking/recorders.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import { byDepth, type Depth, propertyRuns } from '../support/test-depth.ts';
import {
  addProgram,
  addWorkspaceInSameLane,
  createReporter,
  makeWorld,
  START,
  type World,
} from '../support/world.ts';

const DAY = 86_400_000;
const PROGRAMS = 3;
const CLICKS = 3;

/** A lead with indexes instead of ids, because the ids differ between the two copies of the programs. */
interface Lead {
  readonly program: number;
  readonly mode: 'server' | 'browser';
  /** A click of the program or, if `isForeign`, of the next program. The last index is an unknown click. */
  readonly click: { readonly isForeign: boolean; readonly index: number } | null;
  readonly key: number | null;
  readonly email: string | undefined;
  readonly daysAgo: number;
}

interface Sale {
  readonly program: number;
  readonly sells: number;
  readonly key: number | null;
}

const program = fc.nat({ max: PROGRAMS - 1 });
const key = fc.option(fc.nat({ max: 2 }), { nil: null, freq: 4 });
const leads: fc.Arbitrary<Lead> = fc.record({
  program,
  mode: fc.constantFrom('server', 'browser'),
  click: fc.option(
    fc.record({
      isForeign: fc.constantFrom(false, false, false, false, true),
      index: fc.constantFrom(0, 0, 1, 1, 2, 2, CLICKS),
    }),
    { nil: null, freq: 4 },
  ),
  key,
  email: fc.constantFrom(undefined, '', 'ann@example.com', 'b'.repeat(64)),
  daysAgo: fc.constantFrom(0, 0, 1),
});
const sales: fc.Arbitrary<Sale> = fc.record({ program, sells: fc.nat({ max: CLICKS - 1 }), key });

/**
 * The requests of `before` are sent one by one to both copies. Then `leads` are sent one by one to one copy and
 * as a batch to the other, and the results are compared.
 */
const stories = fc.record({
  before: fc.array(fc.oneof({ weight: 3, arbitrary: leads }, { weight: 1, arbitrary: sales }), {
    maxLength: 6,
  }),
  leads: fc.array(leads, { minLength: 2, maxLength: 16 }),
});

/** One of two copies of the same programs. Each copy has programs of two workspaces that share a write lane. */
interface Copy {
  readonly programs: readonly {
    readonly account: ProgramAccount;
    readonly token: string;
    readonly code: string;
  }[];
}

/** A copy with new clicks. */
interface Stage {
  readonly copy: Copy;
  readonly run: number;
  readonly clickIds: readonly (readonly string[])[];
}

/** Tests that a batch of leads has the same responses and stored rows as the same leads sent one by one. */
export function leadBatchProperty(kind: string, open: () => Promise<Engine>, runs: Depth<number>): void {
  test(
    `a batch of leads has the same result as the same leads sent one by one on ${kind}`,
    async () => {
      const engine = await open();
      const world = await makeWorld(engine);
      const copies = [await makeCopy(world, 'sequential'), await makeCopy(world, 'batched')] as const;
      let writes = 0;
      const write: Engine['write'] = (...call) => {
        writes += 1;
        return engine.write(...call);
      };
      const recorder = createRecorders({ ...world.affkit.runtime, engine: { ...engine, write } }).leads;
      let run = 0;
      await fc.assert(
        fc.asyncProperty(stories, async (story) => {
          run += 1;
          const sequential = await setStage(world, copies[0], run, recorder, story.before);
          const batched = await setStage(world, copies[1], run, recorder, story.before);
          const expected: LeadOutcome[] = [];
          for (const lead of story.leads) expected.push(await recorder.record(toRequest(sequential, lead)));
          writes = 0;
          const outcomes = await Promise.all(
            story.leads.map((lead) => recorder.record(toRequest(batched, lead))),
          );
          expect(writes).toBe(1);
          expect(outcomes.map(toReply)).toEqual(expected.map(toReply));
          expect(await listStored(engine, batched)).toEqual(await listStored(engine, sequential));
        }),
        propertyRuns(runs),
      );
      await auditAndClose(world);
    },
    60_000 + byDepth(runs) * 1_000,
  );
}

async function makeCopy(world: World, name: string): Promise<Copy> {
  const programs: Copy['programs'][number][] = [];
  const add = async (workspace: number) => {
    const { program, token, partner } = await addProgram(world, workspace, `${name}-${programs.length}`);
    programs.push({ account: program, token, code: partner.code });
  };
  await add(world.workspaceId);
  await add(world.workspaceId);
  await add(await addWorkspaceInSameLane(world));
  return { programs };
}

async function setStage(
  world: World,
  copy: Copy,
  run: number,
  recorder: Recorders['leads'],
  before: readonly (Lead | Sale)[],
): Promise<Stage> {
  const clickIds = await Promise.all(
    copy.programs.map(({ code }) => Promise.all(Array.from({ length: CLICKS }, () => world.click(code)))),
  );
  const stage = { copy, run, clickIds };
  for (const [index, one] of before.entries()) {
    if ('mode' in one) await recorder.record(toRequest(stage, one));
    else await sell(world, stage, one, index);
  }
  return stage;
}

async function sell(world: World, stage: Stage, sale: Sale, index: number): Promise<void> {
  const { token, account } = programAt(stage, sale.program);
  const body = {
    transaction_id: `${account.id}-${stage.run}-${index}`,
    amount_cents: 1000,
    click_id: stage.clickIds[sale.program]?.[sale.sells],
    customer_key: keyName(stage, sale.key),
  };
  await world.call('POST', '/api/v1/track/sale', body, { authorization: `Bearer ${token}` });
}

function toRequest(stage: Stage, { program: index, click, key: keyIndex, ...lead }: Lead): LeadRequest {
  const owner = click?.isForeign ? (index + 1) % PROGRAMS : index;
  const { account: clicked } = programAt(stage, owner);
  const clickId =
    click === null
      ? undefined
      : (stage.clickIds[owner]?.[click.index] ??
        makeClickId(clicked.id, START, (count) => new Uint8Array(count)));
  // Each lead must name a customer. A lead from a browser needs a click, which identifies the program.
  const mode = clickId === undefined ? 'server' : lead.mode;
  return {
    program: mode === 'browser' ? clicked : programAt(stage, index).account,
    reporter: createReporter(mode),
    lead: {
      click_id: clickId,
      customer_key: keyName(stage, clickId === undefined ? (keyIndex ?? 0) : keyIndex),
      email: lead.email,
      session_id: undefined,
      page_url: undefined,
    },
    at: mode === 'server' ? START - lead.daysAgo * DAY : START,
    now: START,
  };
}

function programAt({ copy }: Stage, index: number): Copy['programs'][number] {
  const found = copy.programs[index];
  if (!found) throw new Error('No such program');
  return found;
}

function keyName({ run }: Stage, index: number | null): string | undefined {
  return index === null ? undefined : `run${run}-user${index}`;
}

function toReply(outcome: LeadOutcome): string {
  return isRejection(outcome) ? `${outcome.code}: ${outcome.message}` : outcome.kind;
}

/** Returns the stored rows of the stage's customers and the totals of its programs, without database ids. */
async function listStored(engine: Engine, { copy, clickIds }: Stage): Promise<unknown> {
  const { read } = engine;
  const programIds = copy.programs.map(({ account }) => account.id);
  const positionOf = (programId: number) => programIds.indexOf(programId);
  const clicks = clickIds.flat();
  const clickName = (clickId: string | null) => (clickId === null ? null : clicks.indexOf(clickId));
  const customers = await read
    .selectFrom('customers')
    .selectAll()
    .where('program_id', 'in', programIds)
    .where('click_id', 'in', clicks)
    .execute();
  const clickOf = new Map(customers.map((row) => [row.id, clickName(row.click_id)]));
  const leadEvents = await ofCustomers(engine, 'lead_events', programIds, [...clickOf.keys()]);
  const notes = await ofCustomers(engine, 'trace_notes', programIds, [...clickOf.keys()]);
  const counters = await read
    .selectFrom('counters')
    .select(['program_id', 'subject', 'measure'])
    .select((select) => [select.fn.sum<number>('value').as('value'), select.fn.max('last_at').as('last_at')])
    .where('program_id', 'in', programIds)
    .where('measure', '=', 'leads')
    .groupBy(['program_id', 'subject', 'measure'])
    .orderBy('program_id')
    .execute();
  return {
    customers: customers
      .map(({ id: _id, program_id: _program, partner_id: _partner, link_id: _link, click_id, ...row }) => ({
        ...row,
        click: clickName(click_id) ?? -1,
      }))
      .sort((a, b) => a.click - b.click),
    leads: leadEvents.map(({ id: _id, partner_id: _partner, program_id, customer_id, click_id, ...row }) => ({
      ...row,
      program: positionOf(program_id),
      customer: clickOf.get(customer_id ?? 0),
      click: clickName(click_id),
    })),
    notes: notes.map(({ id: _id, program_id, customer_id, sale_id, detail, ...row }) => ({
      ...row,
      program: positionOf(program_id),
      customer: clickOf.get(customer_id ?? 0),
      isOfSale: sale_id !== null,
      detail: clickName(detail),
    })),
    counters: counters.map((row) => ({ ...row, program_id: positionOf(row.program_id) })),
  };
}

async function ofCustomers<T extends 'lead_events' | 'trace_notes'>(
  engine: Engine,
  table: T,
  programIds: readonly number[],
  customerIds: readonly number[],
): Promise<Selectable<Schema[T]>[]> {
  const rows = await engine.read
    .selectFrom(table as 'lead_events')
    .selectAll()
    .where('program_id', 'in', [...programIds])
    .where('customer_id', 'in', [...customerIds])
    .orderBy('id')
    .execute();
  // Kysely can't tie the rows to a table that is a type parameter.
  return rows as unknown as Selectable<Schema[T]>[];
}
