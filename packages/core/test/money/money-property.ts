import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Affkit, createAffkit } from '../../src/create-affkit.ts';
import { createPolicy } from '../../src/management/policies.ts';
import { createProgram } from '../../src/management/programs.ts';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { readParts } from '../../src/storage/money/commissions.ts';
import type { ProgramAccount } from '../../src/storage/programs/programs.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { byDepth, type Depth, propertyRuns } from '../support/test-depth.ts';
import {
  createCaller,
  enroll,
  makeWorld,
  type Reply,
  SECRET,
  START,
  signInOwner,
  unwrap,
  type World,
} from '../support/world.ts';

const DAY = 86_400_000;
const HOLD_DAYS = 7;
const LEAD = '/api/v1/track/lead';
const CLAIMED = 'claimed';
/** The product that has its own policy. */
const PRODUCT = 'pro';

// An operation on money. Operations of a wave run concurrently. Numbers such as `sale` are positions in the list of
// rows that exist when the wave begins.
type Step =
  | { kind: 'sale'; customer: number; amount: number; currency: 'USD' | 'EUR' }
  | { kind: 'renewal'; customer: number; amount: number }
  | { kind: 'refund'; sale: number; percent: number; refundId: string | null }
  | { kind: 'approve' | 'reject'; commission: number }
  | { kind: 'adjust'; commission: number; amount: number }
  | { kind: 'claimed-sale'; amount: number }
  | { kind: 'confirm' }
  | { kind: 'release' }
  | { kind: 'payout'; min: number }
  | { kind: 'mark-paid' | 'cancel'; payout: number };

const index = fc.nat({ max: 3 });
const amount = fc.oneof(fc.integer({ min: 1, max: 50_000 }), fc.constantFrom(1, 2, 3, 999_999_999_999));
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('sale' as const),
      customer: fc.nat({ max: 2 }),
      amount,
      currency: fc.constantFrom('USD', 'USD', 'EUR'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('renewal' as const), customer: fc.nat({ max: 2 }), amount }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('refund' as const),
      sale: index,
      percent: fc.constantFrom(0, 0, 1, 33, 50, 100),
      refundId: fc.constantFrom(null, 'r1', 'r2', 'r3', 're_1'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('approve', 'approve', 'reject'), commission: index }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('adjust' as const),
      commission: index,
      amount: fc.constantFrom(-5_000, -100, -1, 1, 700),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('claimed-sale' as const), amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('release' as const, 'confirm' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('payout' as const), min: fc.constantFrom(0, 0, 500) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('mark-paid', 'mark-paid', 'cancel'), payout: index }),
  },
);

/** Waves of operations. All operations of a wave run concurrently. */
const waves = fc.array(
  fc.record({
    daysBefore: fc.constantFrom(0, 0, 1, HOLD_DAYS),
    steps: fc.array(steps, { minLength: 8, maxLength: 12 }),
  }),
  { minLength: 3, maxLength: 5 },
);

/** The state of one run, which has its own program. Requests alternate between all servers. */
interface Run {
  readonly world: World;
  readonly program: ProgramAccount;
  readonly clicks: readonly string[];
  /** The click whose customer key a browser has claimed. */
  readonly clickWithClaimedKey: string;
  /** Sends a request with the tracking token or with a management key. */
  readonly call: (how: 'token' | 'key', path: string, body: unknown) => Promise<Reply>;
  readonly names: { next: number };
}

/**
 * Checks the state after any interleaving. The ledger is balanced, only clawbacks of paid commissions make a
 * balance negative, nothing is paid twice, and the last payout leaves nothing payable.
 * @param open opens the engines that share one database. Each simulates another process.
 */
export function moneyProperty(
  kind: string,
  open: () => Promise<readonly Engine[]>,
  runs: Depth<number>,
): void {
  test(
    `money stays exact under random interleavings on ${kind}`,
    async () => {
      const [first, ...others] = await open();
      if (!first) throw new Error('No engine was opened');
      const world = await makeWorld(first);
      const otherServers = others.map((engine) =>
        createAffkit({ engine, secret: SECRET, now: () => world.clock.now }),
      );
      const servers = [world.affkit, ...otherServers];
      const made = await world.call(
        'POST',
        '/api/advertiser/api-keys',
        { name: 'all', workspace_id: world.workspaceId },
        await signInOwner(world),
      );
      const { key } = made.body['data'] as { key: string };
      let runCount = 0;
      try {
        await fc.assert(
          fc.asyncProperty(waves, fc.constantFrom(0, 100), async (history, minSaleCents) => {
            const run = await openRun(world, servers, key, `run${runCount++}`, minSaleCents);
            const paid = new Map<number, number>();
            for (const wave of history) {
              world.clock.now += wave.daysBefore * DAY;
              const targets = await listTargets(run);
              const replies = await Promise.all(wave.steps.map((step) => perform(run, targets, step)));
              for (const reply of replies)
                expect(reply?.status ?? 200, JSON.stringify(reply)).toBeLessThan(500);
              await expectConsistent(run, paid);
            }
            await settle(run, paid);
            await world.affkit.jobs.runOnce();
            const report = await verifyLedger(world.affkit.runtime, run.program.id);
            expect(report).toMatchObject({ fault: null, unsealed: 0 });
          }),
          propertyRuns(runs),
        );
      } finally {
        for (const affkit of otherServers) await affkit.close();
        await world.affkit.close();
      }
    },
    60_000 + byDepth(runs) * 2_000,
  );
}

async function openRun(
  world: World,
  servers: readonly Affkit[],
  key: string,
  name: string,
  minSaleCents: number,
): Promise<Run> {
  world.clock.now = START;
  const { program, apiToken } = unwrap(
    await createProgram(world.affkit.runtime, world.workspaceId, {
      name,
      site_url: 'https://shop.example',
      commission: { type: 'percent', rate: 33.33 },
      hold_days: HOLD_DAYS,
      min_sale_cents: minSaleCents,
      commission_base: minSaleCents === 0 ? 'total' : 'net',
    }),
  );
  unwrap(
    await createPolicy(world.affkit.runtime, program, { type: 'percent', rate: 7.77, product_id: PRODUCT }),
  );
  const { code } = await enroll(world.affkit, program, name);
  const clicks = [await world.click(code), await world.click(code), await world.click(code)];
  const clickWithClaimedKey = await world.click(code);
  await world.call('POST', LEAD, { click_id: clickWithClaimedKey, customer_key: CLAIMED });
  const callers = servers.map((affkit) => createCaller(affkit));
  let turn = 0;
  const nextCaller = () => callers[turn++ % callers.length] ?? world.call;
  return {
    world,
    program,
    clicks,
    clickWithClaimedKey,
    names: { next: 0 },
    call: async (how, path, body) => {
      const bearer = how === 'token' ? apiToken : key;
      return await nextCaller()('POST', path, body, { authorization: `Bearer ${bearer}` });
    },
  };
}

interface Targets {
  readonly sales: readonly { id: string; cents: number }[];
  readonly commissions: readonly number[];
  readonly payouts: readonly number[];
}

async function listTargets({ world, program }: Run): Promise<Targets> {
  const { read } = world.engine;
  const selectFrom = <T extends 'sales' | 'commissions' | 'payouts'>(table: T) =>
    read.selectFrom(table as 'sales').where('program_id', '=', program.id);
  const sales = await selectFrom('sales')
    .select(['processor_event_id as id', 'amount_cents as cents'])
    .execute();
  const commissions = await selectFrom('commissions').select('id').orderBy('id', 'desc').execute();
  const payouts = await selectFrom('payouts').select('id').orderBy('id', 'desc').execute();
  return { sales, commissions: commissions.map(({ id }) => id), payouts: payouts.map(({ id }) => id) };
}

/** Returns two products with tax and shipping. Only one of the products has its own policy. */
function contentOf(amount: number) {
  const [tax_cents, shipping_cents] = [Math.floor(amount / 6), Math.floor(amount / 7)];
  const first = Math.floor((amount - shipping_cents) / 3);
  const data = [
    { product_id: PRODUCT, amount_cents: first },
    { product_id: 'other', amount_cents: amount - shipping_cents - first, tax_cents },
  ];
  return { tax_cents, shipping_cents, line_items: { data } };
}

/** @returns null if the run has no row yet that the step could change */
async function perform(run: Run, targets: Targets, step: Step): Promise<Reply | null> {
  const { call, program, world, clickWithClaimedKey } = run;
  const path = `/api/advertiser/affiliate-programs/${program.id}`;
  const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)];
  switch (step.kind) {
    case 'sale':
    case 'renewal':
      return await call('token', '/api/v1/track/sale', {
        transaction_id: `${program.name}-${run.names.next++}`,
        amount_cents: step.amount,
        click_id: run.clicks[step.customer],
        ...(step.kind === 'sale' ? { currency: step.currency } : { subscription_id: `sub${step.customer}` }),
        ...contentOf(step.amount),
      });
    case 'claimed-sale':
      return await call('token', '/api/v1/track/sale', {
        transaction_id: `${program.name}-${run.names.next++}`,
        amount_cents: step.amount,
        customer_key: CLAIMED,
      });
    case 'confirm':
      return await call('token', LEAD, { click_id: clickWithClaimedKey, customer_key: CLAIMED });
    case 'refund': {
      const sale = pick(targets.sales, step.sale);
      if (!sale) return null;
      const refund_amount_cents = Math.floor((sale.cents * step.percent) / 100);
      const body = { transaction_id: sale.id, refund_amount_cents, refund_id: step.refundId };
      return await call('token', '/api/v1/track/refund', body);
    }
    case 'approve':
    case 'reject':
    case 'adjust': {
      const id = pick(targets.commissions, step.commission);
      if (id === undefined) return null;
      const body = step.kind === 'adjust' ? { amount_cents: step.amount, reason: 'a correction' } : {};
      return await call('key', `${path}/commissions/${id}/${step.kind}`, body);
    }
    case 'release':
      await world.affkit.jobs.runOnce();
      return null;
    case 'payout':
      return await call('key', `${path}/payouts`, { min_amount_cents: step.min });
    case 'mark-paid':
    case 'cancel': {
      const id = pick(targets.payouts, step.payout);
      return id === undefined ? null : await call('key', `${path}/payouts/${id}/${step.kind}`, {});
    }
  }
}

/** @param paid for each paid commission, the payout that paid it. Later calls expect the same payout. */
async function expectConsistent(run: Run, paid: Map<number, number>): Promise<void> {
  const { world, program } = run;
  const { read } = world.engine;
  expect(await auditLedger(world.engine, [program.id])).toEqual([]);
  const commissions = await read
    .selectFrom('commissions')
    .selectAll()
    .where('program_id', '=', program.id)
    .execute();
  const bases = await baseOfSales(run);
  for (const { sale_id, amount_cents, parts: stored } of commissions) {
    const parts = readParts(stored);
    if (parts.length === 0) continue;
    expect(parts.reduce((sum, part) => sum + part.amountCents, 0)).toBe(amount_cents);
    expect(parts.reduce((sum, part) => sum + part.baseCents, 0)).toBe(bases.get(sale_id));
  }
  for (const { needs_approval, approved_at, payout_id } of commissions) {
    if (needs_approval === 1 && approved_at === null) expect(payout_id).toBeNull();
  }
  const earningTooLittle = await read
    .selectFrom('commissions')
    .innerJoin('sales', (join) =>
      join
        .onRef('sales.program_id', '=', 'commissions.program_id')
        .onRef('sales.id', '=', 'commissions.sale_id'),
    )
    .select('sales.id')
    .where('commissions.program_id', '=', program.id)
    .where('sales.amount_cents', '<', program.minSaleCents)
    .execute();
  expect(earningTooLittle).toEqual([]);
  for (const { id, payout_id, paid_at } of commissions) {
    if (paid.has(id)) expect(payout_id).toBe(paid.get(id));
    else if (paid_at !== null) paid.set(id, Number(payout_id));
  }
  const clawedBack = await clawbacks(world, program.id, paid);
  const balances = await read
    .selectFrom('balances')
    .selectAll()
    .where('program_id', '=', program.id)
    .execute();
  for (const { currency, balance_cents } of balances) {
    expect(balance_cents).toBeGreaterThanOrEqual(-(clawedBack.get(currency) ?? 0));
  }
}

/** Returns the base of each sale's commission. */
async function baseOfSales({ world, program }: Run): Promise<ReadonlyMap<number, number>> {
  const sales = await world.engine.read
    .selectFrom('sales')
    .selectAll()
    .where('program_id', '=', program.id)
    .execute();
  return new Map(
    sales.map(({ id, amount_cents, tax_cents, shipping_cents }) => [
      id,
      program.commissionBase === 'net'
        ? amount_cents - (tax_cents ?? 0) - (shipping_cents ?? 0)
        : amount_cents,
    ]),
  );
}

/** Returns the sum deducted from paid commissions, by currency. A balance may be negative by at most this sum. */
async function clawbacks(world: World, programId: number, paid: ReadonlyMap<number, number>) {
  const entries = await world.engine.read
    .selectFrom('ledger_entries')
    .selectAll()
    .where('program_id', '=', programId)
    .where('scope', '=', 'partner_program')
    .orderBy('id')
    .execute();
  const payments = new Map<number | null, number>();
  for (const entry of entries) {
    if (entry.credit_account === 'payout_paid') payments.set(entry.payout_id, entry.id);
  }
  const sums = new Map<string, number>();
  for (const entry of entries) {
    const payoutId = paid.get(entry.commission_id ?? 0);
    // Entries of a commission are written under a lock, so entries after the payment have larger ids. A payout of 0
    // has no entry that shows the time of the payment, so every deduction from its commissions counts as a clawback.
    const paidAt = payoutId === undefined ? undefined : (payments.get(payoutId) ?? 0);
    if (entry.credit_account !== 'advertiser_cost' || paidAt === undefined || entry.id < paidAt) continue;
    sums.set(entry.currency, (sums.get(entry.currency) ?? 0) + entry.amount_cents);
  }
  return sums;
}

/** Pays everything that remains, and checks that nothing is payable and no balance is positive afterwards. */
async function settle(run: Run, paid: Map<number, number>): Promise<void> {
  const { world, call, program, clickWithClaimedKey } = run;
  const path = `/api/advertiser/affiliate-programs/${program.id}/payouts`;
  world.clock.now += (HOLD_DAYS + 1) * DAY;
  await call('token', LEAD, { click_id: clickWithClaimedKey, customer_key: CLAIMED });
  await call('key', path, {});
  const { payouts } = await listTargets(run);
  for (const id of payouts) await call('key', `${path}/${id}/mark-paid`, {});
  await expectConsistent(run, paid);
  expect((await call('key', path, {})).body['data']).toEqual([]);
  const remainingBalances = await world.engine.read
    .selectFrom('balances')
    .selectAll()
    .where('program_id', '=', program.id)
    .where('balance_cents', '>', 0)
    .execute();
  expect(remainingBalances).toEqual([]);
}
