import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeOpenCents } from '../../src/domain/refund.ts';
import { checkTotals } from '../../src/reporting/totals.ts';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { type PayoutWorld, payoutWorldOn } from '../support/payout-world.ts';
import { charge, dispute, event, invoice, invoicePayment } from '../support/stripe-events.ts';
import { byDepth, type Depth, propertyRuns } from '../support/test-depth.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { enroll } from '../support/world.ts';

/** The events of a payment that is recorded as two sales. */
interface History {
  readonly chargeCents: number;
  readonly api: readonly { readonly by: 'pi' | 'in'; readonly id: string; readonly cents: number }[];
  readonly dispute: 'none' | 'open' | 'won' | 'lost';
}

const histories: fc.Arbitrary<History> = fc.record({
  chargeCents: fc.constantFrom(0, 0, 500, 1999),
  api: fc.uniqueArray(
    fc.record({
      by: fc.constantFrom('pi' as const, 'in' as const),
      id: fc.constantFrom('r-1', 'r-2'),
      cents: fc.constantFrom(1, 200, 333),
    }),
    { maxLength: 2, selector: ({ id }) => id },
  ),
  dispute: fc.constantFrom('none', 'none', 'open', 'won', 'lost'),
});

type Step = () => Promise<unknown>;

/**
 * Records a payment as two sales, sends its events in random orders, with payouts in between, and merges the
 * sales. Exactly one commission must remain, minus the refunds of the payment.
 */
export function mergeProperty(kind: string, open: OpenEngine, runs: Depth<number>): void {
  test(
    `a payment that was recorded as two sales keeps one commission in any order of its events on ${kind}`,
    async () => {
      const world = await makeWebhookWorld(await open());
      const money = await payoutWorldOn(world);
      try {
        let count = 0;
        await fc.assert(
          fc.asyncProperty(histories, fc.infiniteStream(fc.nat()), async (history, random) => {
            count += 1;
            const left = await play(world, money, `p${count}`, history, random);
            expect(left).toEqual({ open: 400 - expectedDeduction(history), earning: 1, unexplained: 0 });
          }),
          propertyRuns(runs),
        );
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

/** Returns the deduction from a commission of 4.00 for a sale of 19.99. */
function expectedDeduction({ chargeCents, api, dispute: ending }: History): number {
  const cents = api.reduce((sum, refund) => sum + refund.cents, chargeCents) + (ending === 'lost' ? 700 : 0);
  return Math.round((400 * Math.min(1999, cents)) / 1999);
}

async function play(
  world: WebhookWorld,
  money: PayoutWorld,
  name: string,
  history: History,
  random: Iterator<number>,
) {
  const next = (bound: number) => Number(random.next().value) % bound;
  const { partnerId, code } = await enroll(world.affkit, world.program, name);
  const click_id = await world.click(code);
  const metadata = { program_id: world.metadata.program_id, service_click_id: click_id };
  const pending: Step[] = paymentSteps(world, name, history, { click_id, metadata });
  // A refund whose sale is not known yet is reported again later.
  const late: Step[] = [];
  const refundSteps = history.api.map(({ by, id, cents }) => async () => {
    const refund = { transaction_id: `${by}_${name}`, refund_id: id, refund_amount_cents: cents };
    const { status, body } = await world.track('refund', refund);
    if (status === 404) late.push(() => world.track('refund', refund));
    // A refund of more than the rest of the sale returns 400. An amount of 0 refunds the rest.
    else if (status === 400) await world.track('refund', { ...refund, refund_amount_cents: 0 });
    else expect({ status, body }).toMatchObject({ status: 200 });
  });
  const steps = [...pending, ...refundSteps];
  while (steps.length > 0) {
    world.clock.now += 1;
    for (const step of steps.splice(next(steps.length), 1)) await step();
    await interfere(world, money, partnerId, next(6));
  }
  for (const step of late) await step();
  return summarize(world, money, partnerId);
}

function paymentSteps(
  world: WebhookWorld,
  name: string,
  { chargeCents, dispute: ending }: History,
  { click_id, metadata }: { readonly click_id: string; readonly metadata: object },
): Step[] {
  const send = (type: string, content: object) => () => world.send(event(type, { ...content }));
  const disputed = (type: string, status: Parameters<typeof dispute>[1]) =>
    send(`charge.dispute.${type}`, dispute(name, status, 700));
  return [
    () => world.track('sale', { transaction_id: `pi_${name}`, amount_cents: 1999, click_id }),
    send('invoice.paid', invoice('current', name, name, { ...metadata })),
    send('invoice_payment.paid', invoicePayment(name)),
    ...(chargeCents > 0 ? [send('charge.refunded', charge('current', name, chargeCents))] : []),
    ...(ending === 'none' ? [] : [disputed('created', 'needs_response')]),
    ...(ending === 'won' || ending === 'lost' ? [disputed('closed', ending)] : []),
  ];
}

async function interfere(world: WebhookWorld, money: PayoutWorld, partnerId: number, choice: number) {
  if (choice === 0) await world.affkit.jobs.runOnce();
  if (choice === 1 || choice === 2) await money.payOut({ partner_ids: [partnerId] });
  if (choice === 2) await endPayouts(world, money, partnerId, 'mark-paid');
}

async function endPayouts(
  world: WebhookWorld,
  money: PayoutWorld,
  partnerId: number,
  verb: 'mark-paid' | 'cancel',
) {
  const payouts = await world.engine.read
    .selectFrom('payouts')
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('status', '=', 'pending')
    .execute();
  for (const { id } of payouts) await money.end(id, verb);
}

/** @returns the values that must not depend on the order of the events */
async function summarize(world: WebhookWorld, money: PayoutWorld, partnerId: number) {
  await endPayouts(world, money, partnerId, 'cancel');
  const { read } = world.engine;
  const commissions = await read
    .selectFrom('commissions')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .execute();
  const notes = await read
    .selectFrom('trace_notes')
    .select(['sale_id', 'reason'])
    .where('reason', 'like', 'duplicate_sale_%')
    .execute();
  const duplicates = notes.map(({ sale_id }) => sale_id);
  const paid = await read
    .selectFrom('payouts')
    .select('amount_cents')
    .where('partner_id', '=', partnerId)
    .where('status', '=', 'paid')
    .execute();
  const clamps = await read
    .selectFrom('ledger_entries')
    .select('amount_cents')
    .where('partner_id', '=', partnerId)
    .where('scope', '=', 'partner_program')
    .where('kind', '=', 'clamp')
    .execute();
  const sum = (rows: readonly { readonly amount_cents: number }[]) =>
    rows.reduce((cents, row) => cents + row.amount_cents, 0);
  const left = commissions.filter(({ rejected_at }) => rejected_at === null);
  const openCents = left.reduce((cents, row) => cents + computeOpenCents(row), 0);
  const { program } = await world.balances(partnerId);
  return {
    open: openCents,
    earning: left.filter(({ sale_id }) => !duplicates.includes(sale_id)).length,
    unexplained: (program['USD'] ?? 0) + sum(paid) - sum(clamps) - openCents,
  };
}
