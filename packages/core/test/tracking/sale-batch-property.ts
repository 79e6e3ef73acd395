import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AffkitOptions } from '../../src/options.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { charge, event } from '../support/stripe-events.ts';
import { byDepth, type Depth, propertyRuns } from '../support/test-depth.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import type { Reply } from '../support/world.ts';

/** A sale with indexes instead of ids, because the ids differ between the two worlds that are compared. */
interface Sale {
  readonly transaction: number;
  readonly amountCents: number;
  readonly key: string | undefined;
  readonly click: number | undefined;
  readonly subscription: string | undefined;
  readonly refs: readonly string[] | undefined;
}

const CODES = ['anna', 'ben', 'anna', 'ben'] as const;

const sales: fc.Arbitrary<Sale> = fc.record({
  transaction: fc.nat({ max: 4 }),
  amountCents: fc.constantFrom(1000, 2000),
  // The first key was claimed by a browser, the second is verified, the third belongs to no customer.
  key: fc.constantFrom(undefined, 'claimed', 'verified', 'new'),
  click: fc.constantFrom(undefined, ...CODES.keys()),
  subscription: fc.constantFrom(undefined, undefined, 'S', 'T'),
  // Ids of the payments r1 and r2, whose charges have events, and ids of other sales. The charge of r2 has a parked
  // refund.
  refs: fc.constantFrom(undefined, undefined, ['pi_r1'], ['ch_r1'], ['pi_r2'], ['ch_r2'], ['t1'], ['t2']),
});
interface Story {
  readonly recurringMonths: number | null;
  readonly sales: readonly Sale[];
}

const stories: fc.Arbitrary<Story> = fc.record({
  recurringMonths: fc.constantFrom(null, 0, 1),
  sales: fc.array(sales, { minLength: 2, maxLength: 8 }),
});

function sale(transaction: number, fields: Partial<Sale> = {}): Sale {
  const nothing = { key: undefined, click: undefined, subscription: undefined, refs: undefined };
  return { transaction, amountCents: 1000, ...nothing, ...fields };
}

/** Stories whose results depend on the order of sales with different ids. */
const ORDERED_STORIES: readonly Story[] = [
  // Sale 3 is recorded without a subscription. Sale 0 becomes the first sale of subscription S. Then a duplicate of
  // sale 3 adds S to sale 3.
  {
    recurringMonths: 0,
    sales: [sale(3, { click: 2 }), sale(0, { click: 2, subscription: 'S' }), sale(3, { subscription: 'S' })],
  },
  // A duplicate merges two sales. The earlier one must be kept, although it must wait for another sale.
  {
    recurringMonths: null,
    sales: [
      sale(2, { click: 1 }),
      sale(0, { click: 1, subscription: 'S' }),
      sale(1, { click: 2 }),
      sale(0, { refs: ['t1'] }),
    ],
  },
  // A duplicate merges two sales, after another duplicate has added the id of a refund to one of them.
  {
    recurringMonths: null,
    sales: [
      sale(4, { click: 3 }),
      sale(0, { click: 2, refs: ['ch_r1'] }),
      sale(0, { refs: ['t2'] }),
      sale(0, { refs: ['ch_r2'] }),
      sale(4, { refs: ['ch_r1'] }),
    ],
  },
];

interface Stage {
  readonly world: WebhookWorld;
  readonly clickIds: readonly string[];
}

/** Tests that a batch of sales has the same responses and balances as the same sales sent one by one. */
export function saleBatchProperty(
  kind: string,
  open: OpenEngine,
  runs: Depth<number>,
  options: Partial<AffkitOptions> = {},
): void {
  test(
    `a batch of sales has the same result as the same sales sent one by one on ${kind}`,
    () =>
      fc.assert(
        fc.asyncProperty(stories, async (story) => {
          const sequential = await setStage(open, story.recurringMonths, options);
          const batched = await setStage(open, story.recurringMonths, options);
          const expected: Reply[] = [];
          for (const sale of story.sales) expected.push(await send(sequential, sale));
          const replies = await Promise.all(story.sales.map((sale) => send(batched, sale)));
          expect(replies.map(summarize)).toEqual(expected.map(summarize));
          expect(await listBalances(batched)).toEqual(await listBalances(sequential));
          await auditAndClose(sequential.world);
          await auditAndClose(batched.world);
        }),
        { ...propertyRuns(runs), examples: ORDERED_STORIES.map((story) => [story]) },
      ),
    60_000 + byDepth(runs) * 2_000,
  );
}

async function setStage(
  open: OpenEngine,
  recurringMonths: number | null,
  options: Partial<AffkitOptions>,
): Promise<Stage> {
  const world = await makeWebhookWorld(await open(), {}, options);
  const policy = `/api/advertiser/affiliate-programs/${world.program.id}/commission-policies/1`;
  const change = { recurring_months: recurringMonths };
  expect(await world.call('PUT', policy, change, world.session)).toMatchObject({ status: 200 });
  const clickIds: string[] = [];
  for (const code of CODES) clickIds.push(await world.click(code));
  const claim = { click_id: clickIds[0], customer_key: 'claimed' };
  await world.call('POST', '/api/v1/track/lead', claim, { origin: 'https://shop.example' });
  await world.track('lead', { click_id: clickIds[1], customer_key: 'verified' });
  await world.outcome(event('charge.succeeded', charge('current', 'r1', 0)));
  await world.outcome(event('charge.refunded', charge('current', 'r2', 300, 1000)));
  return { world, clickIds };
}

function send({ world, clickIds }: Stage, sale: Sale): Promise<Reply> {
  return world.track('sale', {
    transaction_id: `t${sale.transaction}`,
    amount_cents: sale.amountCents,
    customer_key: sale.key,
    click_id: sale.click === undefined ? undefined : clickIds[sale.click],
    subscription_id: sale.subscription,
    processor_refs: sale.refs,
  });
}

/** Leaves out ids, because they depend on the order in which a batch is stored. */
function summarize({ status, body }: Reply): unknown {
  const { code, identical, commission_id } = body;
  return { status, code, identical, earns: typeof commission_id === 'number' };
}

async function listBalances({ world }: Stage): Promise<unknown> {
  return [await world.balances(world.anna.partnerId), await world.balances(world.ben.partnerId)];
}
