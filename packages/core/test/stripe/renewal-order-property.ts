import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/calendar.ts';
import { computeOpenCents } from '../../src/domain/refund.ts';
import { checkTotals } from '../../src/reporting/totals.ts';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { event, invoice, invoicePayment } from '../support/stripe-events.ts';
import { byDepth, type Depth, propertyRuns } from '../support/test-depth.ts';
import { summarizeSteps, TraceClient } from '../support/trace-client.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { addProgram, type Reply } from '../support/world.ts';

/** The ways to report a payment of a subscription. Each way consists of one or more reports. */
const WAYS = [
  'webhook',
  'api',
  'api and webhook',
  'api without subscription and webhook',
  'api with own id and webhook',
  'two sales',
  'two sales of the subscription',
  'sale of a stranger and webhook',
  'sale of another program and webhook',
] as const;
const WITH_OWN_ID = 'api with own id and webhook';
/** A customer of another partner, in both programs. All sales of this customer are outside of the attribution window. */
const STRANGER = 'stranger';
/** The time of each payment, in days after the click. The attribution window is 60 days. */
const DAYS = [10, 50, 70, 85] as const;

interface History {
  readonly ways: readonly (typeof WAYS)[number][];
  readonly refunded: number;
  /**
   * For each payment, whether its commission cannot be stored together with the sale. A refund, a merge of two sales,
   * or a background job then stores the commission later.
   */
  readonly owed: readonly boolean[];
  /** Whether the first invoice starts the subscription. The subscription's id is then also an id of its payment. */
  readonly hasStart: boolean;
}

const histories: fc.Arbitrary<History> = fc.record({
  // Two reports of the first payment are needed to connect the advertiser's own id with the subscription.
  ways: fc
    .array(fc.constantFrom(...WAYS), { minLength: 4, maxLength: 4 })
    .map((ways) => (ways.includes(WITH_OWN_ID) ? [WITH_OWN_ID, ...ways.slice(1)] : ways)),
  refunded: fc.nat({ max: 3 }),
  owed: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  hasStart: fc.boolean(),
});

type Report = () => Promise<unknown>;

/**
 * Reports the payments of a subscription in random orders. Each payment must earn the same commission in every
 * order.
 */
export function renewalOrderProperty(kind: string, open: OpenEngine, runs: Depth<number>): void {
  test(
    `the payments of a subscription earn the same commissions in any order on ${kind}`,
    async () => {
      const world = await makeWebhookWorld(await open());
      try {
        const other = await addStranger(world);
        let count = 0;
        await fc.assert(
          fc.asyncProperty(histories, fc.infiniteStream(fc.nat()), async (history, random) => {
            count += 1;
            const earned = await play(world, other, `c${count}`, history, random);
            expect(earned).toEqual(DAYS.map((_, index) => (index === history.refunded ? 300 : 400)));
          }),
          propertyRuns(runs),
        );
        expect(await earnedBy(world, STRANGER)).toEqual(DAYS.map(() => 0));
        const steps = await (await TraceClient.of(world)).steps('customer_key=c1&pageSize=100');
        expect(summarizeSteps(steps)).toContain('commission renewal_of_subscription');
        expect(await auditLedger(world.engine)).toEqual([]);
        await world.affkit.jobs.runOnce();
        expect(await verifyLedger(world.affkit.runtime, world.program.id)).toMatchObject({ fault: null });
        expect(await checkTotals(world.affkit.runtime, world.program.id)).toEqual([]);
      } finally {
        await world.affkit.close();
      }
    },
    60_000 + byDepth(runs) * 2_000,
  );
}

/** Sends a tracking call of another program. */
type OtherProgram = (call: string, body: object) => Promise<Reply>;

async function addStranger(world: WebhookWorld): Promise<OtherProgram> {
  const { authorization } = await addProgram(world, world.workspaceId, 'carl');
  const other: OtherProgram = (call, body) =>
    world.call('POST', `/api/v1/track/${call}`, body, { authorization });
  const affiliate_url = 'https://other.example/?aff=carl';
  await other('lead', { click_id: await world.click('carl', { affiliate_url }), customer_key: STRANGER });
  await world.track('lead', { click_id: await world.click('ben'), customer_key: STRANGER });
  world.clock.now += 60 * DAY_MS;
  return other;
}

/** @returns the remaining commission of each payment, in the order of the payments */
async function play(
  world: WebhookWorld,
  other: OtherProgram,
  name: string,
  history: History,
  random: Iterator<number>,
) {
  const click_id = await world.click('anna');
  await world.track('lead', { click_id, customer_key: name });
  const clickedAt = world.clock.now;
  world.clock.now += 88 * DAY_MS;
  const reports = history.ways.flatMap((way, index) => {
    const at = clickedAt + (DAYS[index] ?? 0) * DAY_MS;
    const isOwed = history.owed[index] === true;
    // Only an invoice that starts the subscription connects the advertiser's own id with Stripe's id.
    const isStart = index === 0 && (history.hasStart || way === WITH_OWN_ID);
    const payment = { customer: name, name: `${name}_${index}`, at, isStart, isOwed };
    return reportsOf(world, other, payment, way);
  });
  const refund = {
    transaction_id: `in_${name}_${history.refunded}`,
    refund_id: 'r-1',
    refund_amount_cents: 500,
  };
  const late: Report[] = [];
  reports.push(async () => {
    if ((await world.track('refund', refund)).status === 404) late.push(() => world.track('refund', refund));
  });
  while (reports.length > 0) {
    world.clock.now += 1;
    for (const report of reports.splice(Number(random.next().value) % reports.length, 1)) await report();
  }
  for (const report of late) await report();
  await world.affkit.jobs.runOnce();
  return await earnedBy(world, name);
}

/** Makes a report while the program has no policy, so that the commission of its sale is owed. */
function withoutPolicies({ engine, program }: WebhookWorld, report: Report): Report {
  const setDeleted = (deleted_at: number | null) =>
    engine.write(program.workspaceId, (tx) => tx.db.updateTable('policies').set({ deleted_at }).execute());
  return async () => {
    await setDeleted(1);
    await report();
    await setDeleted(null);
  };
}

interface Payment {
  readonly customer: string;
  readonly name: string;
  readonly at: number;
  /** Whether the payment's invoice starts the subscription. */
  readonly isStart: boolean;
  readonly isOwed: boolean;
}

function reportsOf(
  world: WebhookWorld,
  other: OtherProgram,
  { customer, name, at, isStart, isOwed }: Payment,
  way: History['ways'][number],
): Report[] {
  // Only the reports that record sales run without a policy. A report that connects payment ids would fail if it needed
  // a commission that cannot be stored.
  const record = (report: Report) => (isOwed ? withoutPolicies(world, report) : report);
  const occurred_at = new Date(at).toISOString();
  const sell = (fields: object) =>
    record(() => world.sell({ customer_key: customer, occurred_at, ...fields }));
  const created = { created: Math.floor(at / 1000) };
  const metadata = { program_id: world.metadata.program_id, service_customer_key: customer };
  const reason = isStart ? 'subscription_create' : 'subscription_cycle';
  const bill = invoice('current', name, customer, metadata, { billing_reason: reason });
  const webhook = record(() => world.send(event('invoice.paid', { ...bill }, created)));
  const connectIds = () => world.send(event('invoice_payment.paid', { ...invoicePayment(name) }, created));
  const subscription_id = `sub_${customer}`;
  if (way === 'webhook') return [webhook];
  if (way === 'api') return [sell({ transaction_id: `in_${name}`, subscription_id })];
  if (way === WITH_OWN_ID)
    return [sell({ transaction_id: `in_${name}`, subscription_id: `plan-${customer}` }), webhook];
  if (way === 'api and webhook') return [sell({ transaction_id: `in_${name}`, subscription_id }), webhook];
  if (way === 'two sales') return [sell({ transaction_id: `pi_${name}` }), webhook, connectIds];
  if (way === 'two sales of the subscription')
    return [sell({ transaction_id: `pi_${name}`, subscription_id }), webhook, connectIds];
  // If the ids were connected before the webhook, the only sale of the payment would be the one for the stranger.
  const webhookAndIds = async () => {
    await webhook();
    await connectIds();
  };
  const foreign = { transaction_id: `pi_${name}`, customer_key: STRANGER };
  if (way === 'sale of a stranger and webhook') return [sell({ ...foreign, subscription_id }), webhookAndIds];
  if (way === 'sale of another program and webhook') {
    const sale = { ...foreign, occurred_at, amount_cents: 1999, subscription_id: 'plan-17' };
    return [() => other('sale', sale), webhookAndIds];
  }
  return [sell({ transaction_id: `in_${name}` }), webhook];
}

async function earnedBy({ engine }: WebhookWorld, customer: string): Promise<number[]> {
  const rows = await engine.read
    .selectFrom('commissions')
    .innerJoin('sales', (join) =>
      join
        .onRef('sales.program_id', '=', 'commissions.program_id')
        .onRef('sales.id', '=', 'commissions.sale_id'),
    )
    .selectAll('commissions')
    .select(['processor_event_id'])
    .innerJoin('customers', (join) =>
      join
        .onRef('customers.program_id', '=', 'commissions.program_id')
        .onRef('customers.id', '=', 'commissions.customer_id'),
    )
    .where('customers.customer_key', '=', customer)
    .execute();
  const earned = DAYS.map(() => 0);
  for (const row of rows) {
    const index = Number(row.processor_event_id.split('_').at(-1));
    if (row.rejected_at === null) earned[index] = (earned[index] ?? 0) + computeOpenCents(row);
  }
  return earned;
}
