import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkTotals } from '../../src/reporting/totals.ts';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import type { StripeEvent } from '../support/stripe-events.ts';
import { byDepth, type Depth, propertyRuns } from '../support/test-depth.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { enroll } from '../support/world.ts';
import { type CustomerLife, customerLives, eventsOfCustomer, expectedSales } from './payment-life.ts';

/** Longer than the time that a payment waits for an event with its details. */
const WAIT_MS = 11 * 60_000;

/**
 * Sends all events of a customer in random orders. Compares the stored sales and commissions with the expected ones.
 * The expected ones are computed from the description of the customer's payments, without the events.
 */
export function paymentLifeProperty(kind: string, open: OpenEngine, runs: Depth<number>): void {
  test(
    `the events of a subscription and a payment lead to the computed sales and commissions in any order on ${kind}`,
    async () => {
      const worlds = {
        total: await makeWebhookWorld(await open()),
        net: await makeWebhookWorld(await open(), { commission_base: 'net' }),
      };
      try {
        let count = 0;
        await fc.assert(
          fc.asyncProperty(customerLives, fc.infiniteStream(fc.nat()), async (life, random) => {
            count += 1;
            await play(worlds[life.base], `c${count}`, life, random);
          }),
          propertyRuns(runs),
        );
        for (const world of Object.values(worlds)) await audit(world);
      } finally {
        for (const { affkit } of Object.values(worlds)) await affkit.close();
      }
    },
    60_000 + byDepth(runs) * 3_000,
  );
}

async function play(
  world: WebhookWorld,
  name: string,
  life: CustomerLife,
  random: Iterator<number>,
): Promise<void> {
  const { partnerId, code } = await enroll(world.affkit, world.program, name);
  const names = { once: `${name}o`, first: `${name}f`, renewal: `${name}r` };
  const metadata = {
    ...world.metadata,
    service_customer_key: name,
    service_click_id: await world.click(code),
  };
  const created = Math.floor(world.clock.now / 1000);
  const events = eventsOfCustomer(life, names, metadata).map((one) => ({ ...one, created }));
  for (const batch of shuffle(events, random)) {
    const replies = await Promise.all(batch.map((one) => world.send(one)));
    expect(replies.map(({ status }) => status)).toEqual(batch.map(() => 200));
    if (Number(random.next().value) % 8 === 0) await world.affkit.jobs.runOnce();
  }
  world.clock.now += WAIT_MS;
  await world.affkit.jobs.runOnce();
  const expected = expectedSales(life, names);
  expect(await readSales(world, partnerId)).toEqual(expected);
  const openCents = expected.reduce((sum, one) => sum + one.commission_cents - one.deducted_cents, 0);
  const balances = await world.balances(partnerId);
  expect([balances.program['USD'] ?? 0, balances.partner['USD'] ?? 0]).toEqual([openCents, openCents]);
}

/**
 * Splits the events into batches of concurrent events. Some events are sent twice, with the same id or with a
 * new id.
 */
function shuffle(events: readonly StripeEvent[], random: Iterator<number>): StripeEvent[][] {
  const next = (bound: number) => Number(random.next().value) % bound;
  const repeated = events.filter(() => next(4) === 0);
  const resent = events.filter(() => next(8) === 0).map((one) => ({ ...one, id: `${one.id}_again` }));
  const left = [...events, ...repeated, ...resent];
  const batches: StripeEvent[][] = [];
  while (left.length > 0) {
    const size = 1 + (next(3) === 0 ? next(4) : 0);
    batches.push(
      Array.from({ length: Math.min(size, left.length) }, () => left.splice(next(left.length), 1)).flat(),
    );
  }
  return batches;
}

async function readSales({ engine }: WebhookWorld, partnerId: number): Promise<object[]> {
  const rows = await engine.read
    .selectFrom('sales')
    .innerJoin('commissions', (join) =>
      join
        .onRef('commissions.program_id', '=', 'sales.program_id')
        .onRef('commissions.sale_id', '=', 'sales.id'),
    )
    .select([
      'processor_event_id as id',
      'sales.amount_cents',
      'is_recurring',
      'commissions.amount_cents as commission_cents',
      'deducted_cents',
      'disputed',
      'commissions.status',
    ])
    .where('commissions.partner_id', '=', partnerId)
    .execute();
  const rank = (id: string) => ['o', 'f', 'r'].indexOf(id.slice(-1));
  return rows
    .map(({ status, ...row }) => ({
      ...row,
      status: status === 'reversed' || status === 'refunded' ? status : 'not refunded',
    }))
    .sort((a, b) => rank(a.id) - rank(b.id));
}

/** Checks the ledger and the totals as `ledger verify` and `totals check` do. */
async function audit(world: WebhookWorld): Promise<void> {
  const { engine, affkit, program } = world;
  expect(await auditLedger(engine)).toEqual([]);
  await affkit.jobs.runOnce();
  const report = await verifyLedger(affkit.runtime, program.id);
  expect(report).toMatchObject({ fault: null, unsealed: 0 });
  expect(await checkTotals(affkit.runtime, program.id)).toEqual([]);
}
