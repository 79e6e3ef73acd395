import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { makeWorld, type Reply, signInOwner, type World } from '../support/world.ts';

const GUIDE = new URL('../../../../docs/guides/money.md', import.meta.url);

interface Row {
  readonly step: number;
  readonly at: number;
  readonly balance: string;
  readonly payable: string;
}

/** Replays the example of docs/guides/money.md and compares every printed number with the API. */
export function moneyGuideContract(kind: string, open: OpenEngine): void {
  test(`the API returns the figures of the money guide on ${kind}`, async () => {
    const rows = readRows(readFileSync(GUIDE, 'utf8'));
    const world = await makeWorld(await open(), { hold_days: 30 });
    try {
      const steps = await createSteps(world);
      expect(rows.map((row) => row.step)).toEqual(steps.map((_, index) => index + 1));
      for (const row of rows) {
        world.clock.now = row.at;
        const runStep = steps[row.step - 1];
        await runStep?.();
        expect({ step: row.step, ...(await figures(world)) }).toEqual({
          step: row.step,
          balance: row.balance,
          payable: row.payable,
        });
        expect(await auditLedger(world.engine)).toEqual([]);
      }
      expect(await sums(world.engine)).toEqual({ earned: 22467, taken: 19567, clamped: 6667, paid: 9567 });
    } finally {
      await world.affkit.close();
    }
  });
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun'];

function readRows(guide: string): Row[] {
  return [...guide.matchAll(/^\| (\d+) +\| (\w{3}) (\d+) .*\| (-?[\d.]+) +\| (-?[\d.]+) +\|$/gm)].map(
    ([, step, month, day, balance, payable]) => ({
      step: Number(step),
      at: Date.UTC(2027, MONTHS.indexOf(String(month)), Number(day), 12),
      balance: String(balance),
      payable: String(payable),
    }),
  );
}

/** Returns the steps of the example. Each step also checks what the guide says about the response. */
async function createSteps(world: World): Promise<(() => Promise<void>)[]> {
  const path = `/api/advertiser/affiliate-programs/${world.program.id}`;
  const post = async (route: string, body?: unknown): Promise<Reply> =>
    // Sign in for each request, because a session ends after 12 hours, but the example takes months.
    await world.call('POST', `${path}/${route}`, body, await signInOwner(world));
  const ids: Record<string, number> = {};
  const payouts: number[] = [];
  const sale =
    (name: string, amount_cents: number, commissionCents: number, fields = {}) =>
    async () => {
      ids[name] = await sell(world, name, { amount_cents, ...fields });
      const commission = await world.engine.read
        .selectFrom('commissions')
        .select('amount_cents')
        .where('id', '=', ids[name])
        .executeTakeFirstOrThrow();
      expect(commission.amount_cents).toBe(commissionCents);
    };
  const refund =
    (name: string, amount: number | undefined, expected: Record<string, unknown>) => async () => {
      const body = { transaction_id: name, refund_amount_cents: amount };
      expect((await world.track('refund', body)).body).toMatchObject(expected);
    };
  const pay = async (amount_cents: number) => {
    const reply = await post('payouts', {});
    expect(reply.body['data']).toMatchObject([{ amount_cents, status: 'pending' }]);
    payouts.push(Number((reply.body['data'] as { id: number }[])[0]?.id));
  };
  const settle = async (number: number, how: 'mark-paid' | 'cancel', amount_cents: number) => {
    const reply = await post(`payouts/${payouts[number - 1]}/${how}`, {});
    expect(reply.body['data']).toMatchObject({ amount_cents });
  };
  const wait = async () => await world.affkit.jobs.runOnce();
  const full = (deductionAmount: number) => ({ status: 'reversed', deductionAmount });
  await post('commission-policies', { type: 'percent', rate: 30, product_id: 'pro' });
  const subscription = { subscription_id: 'sub', sale_type: 'subscription' };
  return [
    sale('A', 4999, 1000),
    sale('B', 12000, 3600, { product_id: 'pro' }),
    sale('C', 2500, 500, subscription),
    refund('B', 3000, { status: 'refunded', deductionAmount: 9 }),
    refund('B', 1000, { status: 'skipped', reason: 'already reversed' }),
    async () => {
      const reply = await post(`commissions/${ids['B']}/adjust`, { amount_cents: -300, reason: 'refund' });
      expect(reply.status).toBe(200);
    },
    async () => void (await post(`commissions/${ids['A']}/approve`)),
    () => pay(1000),
    async () => {
      await refund('A', undefined, full(10))();
      const payout = await world.engine.read.selectFrom('payouts').selectAll().executeTakeFirstOrThrow();
      expect(payout.amount_cents).toBe(0);
    },
    () => settle(1, 'cancel', 0),
    wait,
    () => pay(2900),
    () => settle(2, 'mark-paid', 2900),
    refund('C', undefined, full(5)),
    sale('C2', 2500, 500, subscription),
    sale('D', 33333, 6667),
    wait,
    async () => {
      await pay(6667);
      await settle(3, 'mark-paid', 6667);
    },
    refund('D', undefined, full(66.67)),
    sale('E', 50000, 10000),
    refund('E', undefined, full(100)),
    sale('F', 1000, 200),
    async () => void (await post(`commissions/${ids['F']}/reject`)),
  ];
}

/** Records a sale of the same customer after another click on the link. @returns the id of its commission */
async function sell(world: World, transaction_id: string, fields: Record<string, unknown>): Promise<number> {
  const known = await world.engine.read.selectFrom('customers').select('click_id').executeTakeFirst();
  const click_id = await world.click('anna', known && { existing_click_id: known.click_id });
  const reply = await world.track('sale', { transaction_id, click_id, ...fields });
  return Number(reply.body['commission_id']);
}

async function figures(world: World): Promise<{ balance: string; payable: string }> {
  const path = `/api/advertiser/affiliate-programs/${world.program.id}/partners`;
  const reply = await world.call('GET', path, undefined, await signInOwner(world));
  const rows = reply.body['data'] as { id: number; balance_cents: number; payable_cents: number }[];
  const anna = rows.find((row) => row.id === world.anna.partnerId);
  const dollars = (cents: number | undefined) => ((cents ?? Number.NaN) / 100).toFixed(2);
  return { balance: dollars(anna?.balance_cents), payable: dollars(anna?.payable_cents) };
}

/** Sums the program's ledger entries by their meaning for the partner. */
async function sums(engine: Engine) {
  const entries = await engine.read
    .selectFrom('ledger_entries')
    .selectAll()
    .where('scope', '=', 'partner_program')
    .execute();
  const sum = (mine: (entry: (typeof entries)[number]) => boolean) =>
    entries.filter(mine).reduce((total, entry) => total + entry.amount_cents, 0);
  return {
    earned: sum((entry) => entry.kind === 'commission'),
    taken: sum((entry) => entry.credit_account === 'advertiser_cost'),
    clamped: sum((entry) => entry.kind === 'clamp'),
    paid: sum((entry) => entry.credit_account === 'payout_paid'),
  };
}
