import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import { listPartnerAmounts } from '../../src/storage/reads/partner-amounts.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { runConcurrently } from '../support/management-world.ts';
import { DAY, openPayoutWorld, type PayoutWorld } from '../support/payout-world.ts';
import { sampleCases } from '../support/test-depth.ts';
import type { Reply } from '../support/world.ts';

export function payoutHistoryContract(kind: string, open: OpenEngine): void {
  describe(`payouts in random histories on ${kind}`, () => {
    let world: PayoutWorld;
    beforeEach(async () => {
      world = await openPayoutWorld(open, { hold_days: 2 });
    });
    afterEach(async () => {
      await world.affkit.jobs.runOnce();
      const report = await verifyLedger(world.affkit.runtime, world.program.id);
      expect(report).toMatchObject({ fault: null, unsealed: 0 });
      await world.affkit.close();
    });

    const payable = async () => {
      const found: [number, string, number][] = [];
      for (const partnerId of [world.anna.partnerId, world.ben.partnerId]) {
        for (const [currency, [, cents]] of Object.entries(await world.owed(partnerId))) {
          if (cents > 0) found.push([partnerId, currency, cents]);
        }
      }
      return found;
    };

    const shownAmounts = async () => {
      const partners = [world.anna.partnerId, world.ben.partnerId];
      const { engine } = world;
      return (await listPartnerAmounts(engine.read, world.program.id, partners, world.clock.now)).map(
        (shown) => [
          ...[shown.partnerId, shown.currency, shown.pendingCents, shown.onHoldCents],
          ...[shown.inPayoutCents, shown.paidCents, shown.nextReleaseAt],
        ],
      );
    };
    /** Computes the amounts that `shownAmounts` must return, from all commissions and payouts. */
    const amountsOfRows = async () => {
      const { read } = world.engine;
      const commissions = await read.selectFrom('commissions').selectAll().execute();
      const payouts = await read.selectFrom('payouts').selectAll().execute();
      const balances = await read
        .selectFrom('balances')
        .select(['partner_id', 'currency'])
        .where('program_id', '=', world.program.id)
        .where('partner_id', '>', 0)
        .groupBy(['partner_id', 'currency'])
        .orderBy('partner_id')
        .orderBy('currency')
        .execute();
      return balances.map(({ partner_id, currency }) => {
        const isOwn = (row: { partner_id: number; currency: string }) =>
          row.partner_id === partner_id && row.currency === currency;
        const open = commissions.filter(
          (row) => isOwn(row) && row.payout_id === null && row.rejected_at === null && row.paid_at === null,
        );
        const isPending = (row: (typeof open)[number]) =>
          row.disputed === 1 || (row.approved_at === null && row.needs_approval === 1);
        const held = open.filter(
          (row) => !isPending(row) && row.approved_at === null && row.releasable_at > world.clock.now,
        );
        const centsOf = (row: (typeof open)[number]) =>
          Number(row.amount_cents) - Number(row.deducted_cents) + Number(row.adjusted_cents);
        const sum = (cents: readonly number[]) => cents.reduce((total, value) => total + value, 0);
        const payoutsWith = (status: string) =>
          payouts.filter((row) => isOwn(row) && row.status === status).map((row) => Number(row.amount_cents));
        const releases = held.filter((row) => centsOf(row) !== 0).map((row) => Number(row.releasable_at));
        return [
          ...[partner_id, currency, sum(open.filter(isPending).map(centsOf)), sum(held.map(centsOf))],
          ...[sum(payoutsWith('pending')), sum(payoutsWith('paid'))],
          releases.length === 0 ? null : Math.min(...releases),
        ];
      });
    };

    const seeds = [1, 2, 3];
    test.each(sampleCases(seeds, seeds.length, kind.startsWith('Postgres') ? 1 : 0))(
      'payouts contain exactly what is shown as payable, and the books balance (seed %i)',
      async (seed) => {
        const pick = picker(seed);
        const commissions: number[] = [];
        const payouts: number[] = [];
        for (let step = 0; step < 80; step++) {
          const commission = commissions[pick(commissions.length)] ?? 0;
          switch (pick(9)) {
            case 0:
            case 1:
            case 2: {
              const fields = { code: pick(2) ? 'anna' : 'ben', currency: pick(4) ? 'USD' : 'EUR' };
              commissions.push(await world.sell(`t${commissions.length}`, 1 + pick(5000), fields));
              break;
            }
            case 3:
              await world.refund(`t${pick(commissions.length)}`, pick(3) * 100);
              break;
            case 4:
              await world.adjust(commission, {
                amount_cents: (pick(2) ? 1 : -1) * (1 + pick(300)),
                reason: 'r',
              });
              break;
            case 5:
              await world.ask('POST', `/commissions/${commission}/${pick(3) ? 'approve' : 'reject'}`);
              break;
            case 6:
              world.clock.now += (DAY / 4) * (1 + pick(4));
              break;
            case 7: {
              const expected = await payable();
              const made = await world.payOut();
              expect(made.map((one) => [one.partner_id, one.currency, one.amount_cents])).toEqual(expected);
              expect(await payable()).toEqual([]);
              payouts.push(...made.map((one) => one.id));
              break;
            }
            default:
              await world.end(payouts[pick(payouts.length)] ?? 0, pick(3) ? 'mark-paid' : 'cancel');
          }
          expect(await auditLedger(world.engine)).toEqual([]);
          expect(await shownAmounts()).toEqual(await amountsOfRows());
        }
        expect(payouts.length).toBeGreaterThan(0);
      },
    );

    test('the books balance after concurrent creations, refunds, adjustments, cancellations and payments', async () => {
      await world.ask('PUT', '', { hold_days: 0 });
      const commissions: number[] = [];
      for (let round = 0; round < 4; round++) {
        for (let sale = 0; sale < 6; sale++) {
          const code = sale % 2 ? 'anna' : 'ben';
          commissions.push(await world.sell(`t${round}-${sale}`, 1000, { code }));
        }
        const pending = (await world.ask('GET', '/payouts?status=pending&pageSize=100')).body['data'];
        const open = (pending as { id: number }[]).map(({ id }) => id);
        const replies = await runConcurrently(40, (index): Promise<Reply> => {
          const commission = commissions[(index * 7) % commissions.length] ?? 0;
          const payout = open[index % Math.max(1, open.length)] ?? 0;
          switch (index % 5) {
            case 0:
              return world.ask('POST', '/payouts', {});
            case 1:
              return world.refund(`t${round}-${index % 6}`, index % 2 ? 300 : 0);
            case 2:
              return world.adjust(commission, { amount_cents: index % 2 ? 7 : -7, reason: 'r' });
            case 3:
              return world.end(payout, 'cancel');
            default:
              return world.end(payout, 'mark-paid');
          }
        });
        expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
        expect(await auditLedger(world.engine)).toEqual([]);
      }
    });
  });
}

/** A deterministic random number generator: returns integers below `bound`. */
function picker(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return bound === 0 ? 0 : (state >>> 8) % bound;
  };
}
