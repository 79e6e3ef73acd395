import {
  type PastCommission,
  type PastCustomer,
  type PastRecord,
  type PastRecordOutcome,
  type RecordBatch,
  recordHistory,
} from '@affkit/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRandom } from '../../core/test/support/create-random.ts';
import { engineKinds } from '../../core/test/support/engine-kinds.ts';
import { openPayoutWorld, type PayoutWorld } from '../../core/test/support/payout-world.ts';
import { byDepth } from '../../core/test/support/test-depth.ts';
import { START } from '../../core/test/support/world.ts';
import { readTables } from './vendor-import-records.ts';

const SEEDS = byDepth({ short: [1, 2], long: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] });
const ANNA = 'anna@partner.example';
const ADA = 'ada@partner.example';
const BOB = 'bob@partner.example';

describe.each(Object.entries(engineKinds))('imports of another service on %s', (_kind, open) => {
  const openWorld = async (): Promise<PayoutWorld> => {
    const world = await openPayoutWorld(open);
    onTestFinished(() => world.affkit.close());
    return world;
  };

  test('a dry run lets the server record a sale of the same partner between two batches', async () => {
    const world = await openWorld();
    await run(world, true, async (record) => {
      expect(await record([commission({ id: '1', state: 'paid' })])).toMatchObject([{ outcome: 'imported' }]);
      await world.sell('during-the-dry-run', 1000);
      expect(await record([commission({ id: '2', state: 'paid' })])).toMatchObject([{ outcome: 'imported' }]);
    });
    const sales = await world.engine.read.selectFrom('sales').select('processor_event_id').execute();
    expect(sales).toEqual([{ processor_event_id: 'during-the-dry-run' }]);
  });

  test('a dry run has the same outcomes as the import, even if batches depend on each other, and stores nothing', async () => {
    const world = await openWorld();
    const taken = {
      outcome: 'imported',
      note: 'Another partner has the code ada already. The partner has a new code',
    };
    await expectOutcomes(world, [
      [partner(ADA, 'ada'), 'imported'],
      [partner(ADA, 'ada'), 'existing'],
      [partner(ADA, 'ada', 'ADA-blog'), 'imported'],
      [partner(BOB, 'Ada'), { ...taken, note: taken.note.replace(' ada ', ' Ada ') }],
      [
        partner(BOB, 'ada-BLOG'),
        { outcome: 'existing', note: 'Another partner has the code ada-BLOG already' },
      ],
      [customer({ ref: 'r1', key: 'k1', partnerEmail: ADA }), 'imported'],
      [customer({ ref: 'r1', partnerEmail: BOB }), 'existing'],
      // The key k1 identifies the customer of c1 as r1. The reference r2 remains free, so the next customer is new.
      [
        commission({ id: 'c1', partnerEmail: BOB, paymentRefs: ['pay-1'] }, { ref: 'r2', key: 'k1' }),
        'imported',
      ],
      [customer({ ref: 'r2', key: 'k2', partnerEmail: ADA }), 'imported'],
      [customer({ ref: 'r2', key: 'k9', partnerEmail: ADA }), 'existing'],
      [customer({ ref: 'r3', key: 'k2', partnerEmail: ADA }), 'existing'],
      // The commission c2 stores its customer too.
      [commission({ id: 'c2', partnerEmail: ADA, state: 'reversed' }, { ref: 'r4', key: 'k4' }), 'imported'],
      [customer({ ref: 'r5', key: 'k4', partnerEmail: ADA }), 'existing'],
      [commission({ id: 'c1', partnerEmail: BOB }), 'existing'],
      [commission({ id: 'c2', partnerEmail: 'nobody@partner.example' }), 'existing'],
      [
        commission({ id: 'c3', partnerEmail: ADA, paymentRefs: ['pay-1'] }, { ref: 'r6' }),
        skipped(
          'The payment pay-1 is recorded already, as sale rewardful:c1. A sale has only one commission',
        ),
      ],
      // The commission c3 is skipped, so its customer is not stored either.
      [customer({ ref: 'r6', partnerEmail: ADA }), 'imported'],
      [commission({ id: 'pay', partnerEmail: ADA, paymentRefs: ['pay-2', 'rewardful:c5'] }), 'imported'],
      [
        commission({ id: 'c5', partnerEmail: ADA }),
        skipped('The transaction id rewardful:c5 or an id of the payment is in use'),
      ],
    ]);
  });

  test('a dry run applies the maximum of a balance to the sum of all batches', async () => {
    const world = await openWorld();
    const half = 6_000_000_000_000_000;
    const tooMuch = skipped("The partner's balance would exceed the maximum");
    await expectOutcomes(world, [
      [commission({ id: 'paid', state: 'paid', commissionCents: half }), 'imported'],
      [commission({ id: 'reversed', state: 'reversed', commissionCents: half }), 'imported'],
      [commission({ id: 'rejected', state: 'rejected', commissionCents: half }), 'imported'],
      [commission({ id: 'pending', state: 'pending', commissionCents: half }), 'imported'],
      [commission({ id: 'too-much', commissionCents: half }), tooMuch],
      [commission({ id: 'pending', state: 'pending', commissionCents: half }), 'existing'],
      [commission({ id: 'euro', currency: 'EUR', commissionCents: half }), 'imported'],
      [commission({ id: 'small', commissionCents: 1000 }), 'imported'],
      [commission({ id: 'also-too-much', state: 'paid', commissionCents: half }), tooMuch],
    ]);
  });

  test.each(SEEDS)('a dry run has the outcomes of the import for random records (seed %i)', async (seed) => {
    const world = await openWorld();
    const random = createRandom(seed);
    const records = Array.from({ length: 160 }, () => randomRecord(random));
    // The database already has a part of the records.
    await run(world, false, (record) => record(records.slice(0, 20)));
    const batches: PastRecord[][] = [];
    for (let done = 0; done < records.length; ) {
      const size = 1 + random(12);
      batches.push(records.slice(done, done + size));
      done += size;
    }
    const outcomes = await compareRuns(world, batches);
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(
      new Set(['imported', 'existing', 'skipped']),
    );
  });
});

/** Runs an import of the program. */
function run<T>(
  { affkit }: PayoutWorld,
  isDryRun: boolean,
  importAll: (record: RecordBatch) => Promise<T>,
): Promise<T> {
  const options = { source: 'rewardful', sourceTitle: 'Rewardful', programSlug: null, isDryRun };
  return recordHistory(affkit.runtime, options, importAll);
}

/** Checks that a dry run stores nothing, and that the import then has the same outcomes. @returns these outcomes */
async function compareRuns(
  world: PayoutWorld,
  batches: readonly (readonly PastRecord[])[],
): Promise<PastRecordOutcome[]> {
  const importAll = async (record: RecordBatch) => {
    const outcomes: PastRecordOutcome[] = [];
    for (const batch of batches) outcomes.push(...(await record(batch)));
    return outcomes;
  };
  const before = await readTables(world.engine);
  const predicted = await run(world, true, importAll);
  expect(await readTables(world.engine)).toEqual(before);
  const outcomes = await run(world, false, importAll);
  expect(predicted).toEqual(outcomes);
  return outcomes;
}

type Expected = 'imported' | 'existing' | object;

/** Checks the outcomes of a dry run and of an import. Each record is a batch. */
async function expectOutcomes(
  world: PayoutWorld,
  cases: readonly (readonly [PastRecord, Expected])[],
): Promise<void> {
  const outcomes = await compareRuns(
    world,
    cases.map(([record]) => [record]),
  );
  const expected = cases.map(([, outcome]) =>
    typeof outcome === 'string' ? { outcome, note: null } : outcome,
  );
  expect(outcomes).toMatchObject(expected);
}

function skipped(reason: string) {
  return { outcome: 'skipped', reason };
}

function partner(email: string, ...codes: string[]): PastRecord {
  return { kind: 'partner', partner: { name: 'A partner', email, status: 'approved', codes } };
}

function customer(given: Partial<PastCustomer>): PastRecord {
  return { kind: 'customer', customer: makeCustomer(given) };
}

function makeCustomer(given: Partial<PastCustomer>): PastCustomer {
  return { ref: 'r0', key: null, email: null, partnerEmail: ANNA, code: null, signupAt: null, ...given };
}

function commission(given: Partial<PastCommission>, buyer: Partial<PastCustomer> = {}): PastRecord {
  const partnerEmail = given.partnerEmail ?? ANNA;
  return {
    kind: 'commission',
    commission: {
      id: 'c0',
      partnerEmail,
      customer: makeCustomer({ partnerEmail, ...buyer }),
      state: 'approved',
      saleCents: 1000,
      saleCurrency: 'USD',
      commissionCents: 200,
      currency: 'USD',
      earnedAt: START,
      dueAt: null,
      paidAt: null,
      payoutRef: null,
      paymentRefs: [],
      subscriptionId: null,
      ...given,
    },
  };
}

/** Returns a record whose values come from small sets, so that records depend on each other. */
function randomRecord(random: (below: number) => number): PastRecord {
  const pick = (prefix: string, count: number) => `${prefix}${random(count)}`;
  const email = `${pick('p', 8)}@partner.example`;
  const buyer = makeCustomer({
    ref: pick('r', 25),
    key: random(3) === 0 ? null : pick('k', 25),
    partnerEmail: random(4) === 0 ? `${pick('p', 8)}@partner.example` : email,
  });
  const kind = random(10);
  if (kind < 3)
    return partner(
      email,
      ...Array.from({ length: random(3) }, () => pick(random(2) ? 'Code-' : 'code-', 12)),
    );
  if (kind < 5) return customer(buyer);
  const states = ['pending', 'approved', 'paid', 'rejected', 'reversed'] as const;
  return commission(
    {
      id: pick('c', 60),
      partnerEmail: email,
      state: states[random(states.length)] ?? 'paid',
      commissionCents: random(6) === 0 ? 4_000_000_000_000_000 : random(500),
      payoutRef: random(2) ? pick('payout', 4) : null,
      paymentRefs: Array.from({ length: random(3) }, () => pick(random(8) ? 'pay-' : 'rewardful:c', 60)),
    },
    buyer,
  );
}
