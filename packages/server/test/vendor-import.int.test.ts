import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkTotals, type Engine, verifyLedger } from '@affkit/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { engineKinds } from '../../core/test/support/engine-kinds.ts';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { DAY, openPayoutWorld, type PayoutWorld } from '../../core/test/support/payout-world.ts';
import { markAsRemoved } from '../../core/test/support/remove-month.ts';
import { charge, event } from '../../core/test/support/stripe-events.ts';
import { openTarget } from '../../core/test/support/transfer-world.ts';
import { CONNECTIONS, sign, WEBHOOK_SECRET } from '../../core/test/support/webhook-world.ts';
import { signInOwner } from '../../core/test/support/world.ts';
import { dub } from '../src/commands/transfer/vendors/dub.ts';
import { firstpromoter } from '../src/commands/transfer/vendors/firstpromoter.ts';
import { partnerstack } from '../src/commands/transfer/vendors/partnerstack.ts';
import { rewardful } from '../src/commands/transfer/vendors/rewardful.ts';
import { tolt } from '../src/commands/transfer/vendors/tolt.ts';
import { runExportCommand, runImportCommand } from './transfer-commands.ts';
import { EXPORTS, importVendor, readMoneyRecords, readTables } from './vendor-import-records.ts';

const ADAM = 'adam.jones@partner.example';
const BEA = 'bea@partner.example';

const USD = [
  { email: ADAM, status: 'approved', currency: 'USD', count: 1, cents: 2000, sales: 10_000 },
  { email: ADAM, status: 'paid', currency: 'USD', count: 1, cents: 3000, sales: 15_000 },
  { email: ADAM, status: 'pending', currency: 'USD', count: 1, cents: 1000, sales: 5000 },
  { email: ADAM, status: 'rejected', currency: 'USD', count: 1, cents: 500, sales: 2500 },
];
const REVERSED = { email: ADAM, status: 'reversed', currency: 'USD', count: 1, cents: 700, sales: 3500 };
const YEN = { email: BEA, status: 'approved', currency: 'JPY', count: 1, cents: 1500, sales: 7500 };

const VENDORS = [
  { vendor: rewardful, commissions: [...USD, YEN], codes: ['adam', 'adam-blog', 'bea', 'cid'] },
  { vendor: firstpromoter, commissions: USD, codes: ['adam', 'bea', 'cid'] },
  { vendor: tolt, commissions: [...USD, REVERSED, YEN], codes: ['adam', 'bea'] },
  { vendor: dub, commissions: [...USD, REVERSED, YEN], codes: ['adam', 'bea'] },
  { vendor: partnerstack, commissions: [...USD, YEN], codes: ['adam', 'bea'] },
];

describe.each(Object.entries(engineKinds))('vendor imports on %s', (_kind, open) => {
  const openWorld = async (): Promise<PayoutWorld> => {
    const world = await openPayoutWorld(open);
    onTestFinished(() => world.affkit.close());
    return world;
  };

  test.each(VENDORS)(
    'imports the sample of $vendor.name with the expected balances, and a second import changes nothing',
    async ({ vendor, commissions, codes }) => {
      const world = await openWorld();
      const { engine, program } = world;
      const folder = join(EXPORTS, vendor.name);
      const before = await readTables(engine);
      const dryRun = await importVendor(engine, vendor, folder, { isDryRun: true });
      expect(await readTables(engine)).toEqual(before);

      const { code, report } = await importVendor(engine, vendor, folder);
      expect(
        report.files.flatMap(({ problems }) => problems.filter(({ kind }) => kind === 'skipped')),
      ).toEqual([]);
      expect(code).toBe(0);
      expect({ ...dryRun.report, dry_run: false }).toEqual(report);
      for (const { difference_cents } of report.payouts) expect(difference_cents).toBe(0);
      const records = await readMoneyRecords(world);
      expect(records.commissions).toEqual(byEmailAndStatus(commissions));
      expect(records.balances).toEqual([
        { email: ADAM, currency: 'USD', balance_cents: 3000 },
        ...(commissions.includes(YEN) ? [{ email: BEA, currency: 'JPY', balance_cents: 1500 }] : []),
      ]);
      expect(records.payouts).toEqual([{ email: ADAM, currency: 'USD', status: 'paid', amount_cents: 3000 }]);
      const links = await engine.read.selectFrom('links').select('short_link').execute();
      expect(links.map(({ short_link }) => short_link)).toEqual(expect.arrayContaining(codes));
      // Partners get no invitation, and nobody is notified of old events.
      const after = await readTables(engine);
      expect([after['invites'], after['emails'], after['outbox']]).toEqual([before['invites'], [], []]);

      const again = await importVendor(engine, vendor, folder);
      expect(again.report.files.map(({ imported, skipped }) => imported + skipped)).toEqual(
        report.files.map(() => 0),
      );
      expect(await readTables(engine)).toEqual(after);
      await world.affkit.jobs.runOnce();
      expect((await verifyLedger(world.affkit.runtime, program.id)).fault).toBeNull();
      expect(await checkTotals(world.affkit.runtime, program.id)).toEqual([]);
    },
  );

  test('continues an import that was interrupted', async () => {
    const world = await openWorld();
    const folder = makeFolder(manyRows());
    let writes = 0;
    const broken: Engine = {
      ...world.engine,
      write: (...given) => {
        writes += 1;
        if (writes > 3) throw new Error('killed');
        return world.engine.write(...given);
      },
    };
    expect((await importVendor(broken, rewardful, folder)).report.error).toBe('killed');
    const { code, report } = await importVendor(world.engine, rewardful, folder);
    const [, commissions] = report.files;
    expect([code, commissions?.imported, commissions?.existing]).toEqual([0, 36, 64]);

    const other = await openWorld();
    await importVendor(other.engine, rewardful, folder);
    expect(await readMoneyRecords(world)).toEqual(await readMoneyRecords(other));
    expect((await verifyLedger(world.affkit.runtime, world.program.id)).fault).toBeNull();
  });

  test('records no row again after the program was moved to another installation, with a new id', async () => {
    const world = await openWorld();
    const { program } = world;
    const folder = makeFolder({
      'affiliates.csv': `email\n${ADAM}\n`,
      'referrals.csv': `id,affiliate.email,became_lead_at\nref-1,${ADAM},2024-05-01\n`,
      'commissions.csv': 'id,amount,state,created_at,referral.id\ncom-1,500,due,2024-06-01,ref-1\n',
    });
    await importVendor(world.engine, rewardful, folder);
    const target = await openTarget(await open(), true, world.clock);
    onTestFinished(() => target.affkit.close());
    const exported = makeTempFolder();
    await runExportCommand(world.engine, { programId: program.id, folder: exported });
    const move = await runImportCommand(target.engine, { folder: exported, workspaceId: null });
    expect(move.result).toMatchObject({ has_new_id: true });

    const before = await readTables(target.engine);
    const options = { programSlug: program.slug };
    const { report } = await importVendor(target.engine, rewardful, folder, options);
    expect(report.files.map(({ imported, existing }) => [imported, existing])).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
    expect(await readTables(target.engine)).toEqual(before);
  });

  test('a dry run of several batches reports the same as the import', async () => {
    const { engine } = await openWorld();
    const folder = makeFolder(manyRows());
    const before = await readTables(engine);
    const dryRun = await importVendor(engine, rewardful, folder, { isDryRun: true });
    expect(await readTables(engine)).toEqual(before);
    const { code, report } = await importVendor(engine, rewardful, folder);
    expect([dryRun.code, { ...dryRun.report, dry_run: false }]).toEqual([code, report]);
    expect(report.files.map(({ imported }) => imported)).toEqual([2, 100]);
  });

  test('skips hostile rows, and imports the others', async () => {
    const world = await openWorld();
    const folder = makeFolder({
      'partners.csv': `\ufeffID;Name;Email;Status
pn_1;Ada 🚀;ada@partner.example;approved
pn_2;'=HYPERLINK("https://x.example");formula@partner.example;approved
pn_3;Ada again;ADA@partner.example;approved
pn_4;No address;nobody;approved
pn_5;Zero\u0000;nul@partner.example;approved
pn_6;Odd;odd@partner.example;vanished
`,
      'commissions.csv': `id;amount;earnings;currency;status;createdAt;partnerEmail;customerId
ok;1.234,50;123,45;EUR;processed;2024-02-01;ada@partner.example;c1
point;10.00;1.00;EUR;processed;2024-02-01;ada@partner.example;c1
negative;10,00;-1,00;EUR;processed;2024-02-01;ada@partner.example;c1
nan;10,00;NaN;EUR;processed;2024-02-01;ada@partner.example;c1
formula;10,00;=1+1;EUR;processed;2024-02-01;ada@partner.example;c1
huge;10,00;1000000000000000;EUR;processed;2024-02-01;ada@partner.example;c1
money;10,00;1,00;XXQ;processed;2024-02-01;ada@partner.example;c1
state;10,00;1,00;EUR;lost;2024-02-01;ada@partner.example;c1
time;10,00;1,00;EUR;processed;01/02/2024;ada@partner.example;c1
nobody;10,00;1,00;EUR;processed;2024-02-01;who@partner.example;c1
short;10,00
;10,00;1,00;EUR;processed;2024-02-01;ada@partner.example;c1
ok;1.234,50;123,45;EUR;processed;2024-02-01;ada@partner.example;c1
zero\u0000;10,00;1,00;EUR;processed;2024-02-01;ada@partner.example;c1
`,
    });
    const { code, report } = await importVendor(world.engine, dub, folder);
    const [partners, commissions] = report.files;
    expect(code).toBe(1);
    expect(partners?.problems.map(({ line, kind }) => `${line} ${kind}`)).toEqual([
      '5 skipped',
      '6 skipped',
      '7 noted',
    ]);
    expect([partners?.imported, partners?.existing]).toEqual([3, 1]);
    expect(commissions?.problems.map(({ line }) => line)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15]);
    expect([commissions?.imported, commissions?.existing]).toEqual([2, 1]);
    expect((await readMoneyRecords(world)).commissions).toEqual([
      {
        email: 'ada@partner.example',
        status: 'approved',
        currency: 'EUR',
        count: 2,
        cents: 12_445,
        sales: 124_450,
      },
    ]);
    const { name } = await world.engine.read
      .selectFrom('partners')
      .select('name')
      .where('email', '=', 'ada@partner.example')
      .executeTakeFirstOrThrow();
    expect(name).toBe('Ada 🚀');
  });

  test('counts a commission and a payout that are in several files once', async () => {
    const { engine } = await openWorld();
    const commissions = 'id,amount,currency,state,created_at,affiliate.id,stripe_customer_id\n';
    const payouts = 'id,amount,currency,state\n';
    const folder = makeFolder({
      'affiliates.csv': 'id,first_name,email,token\np0,Pia,pia@partner.example,pia\n',
      'commissions 2024.csv': `${commissions}c1,100,USD,paid,2024-05-01,p0,cus_1\nc2,200,USD,paid,2024-06-01,p0,cus_1\n`,
      'commissions 2024-05.csv': `${commissions}c1,100,USD,paid,2024-05-01,p0,cus_1\n`,
      'payouts 2024.csv': `${payouts}o1,100,USD,paid\no2,200,USD,paid\n`,
      'payouts 2024-05.csv': `${payouts}o1,100,USD,paid\n`,
    });
    for (const isDryRun of [true, false]) {
      const { report } = await importVendor(engine, rewardful, folder, { isDryRun });
      expect(report.commissions).toEqual([{ state: 'paid', currency: 'USD', count: 2, amount_cents: 300 }]);
      expect(report.payouts).toMatchObject([{ payouts_cents: 300, difference_cents: 0 }]);
    }
  });

  test('explains an imported commission, and pays only what is approved', async () => {
    const world = await openWorld();
    await importVendor(world.engine, rewardful, join(EXPORTS, 'rewardful'));
    const { body } = await world.ask('GET', '/trace?transaction_id=rewardful:com-2');
    const steps = (body['data'] as { steps: { reason: string }[] }).steps.map(({ reason }) => reason);
    expect(steps).toEqual(
      expect.arrayContaining(['customer_imported', 'sale_imported', 'commission_imported']),
    );
    expect(steps).not.toContain('policy_applied');
    const payouts = await world.payOut();
    expect(payouts.map(({ currency, amount_cents }) => [currency, amount_cents])).toEqual([
      ['USD', 2000],
      ['JPY', 1500],
    ]);
    // The import has recorded the Stripe payment `ch_2`. A sale with the same id is therefore rejected.
    const sale = { transaction_id: 'ch_2', amount_cents: 10_000, customer_key: 'cus_1' };
    expect((await world.track('sale', sale)).status).toBe(409);
    // A renewal belongs to the imported customer.
    const renewal = { transaction_id: 'ch_new', amount_cents: 10_000, customer_key: 'cus_1' };
    expect((await world.track('sale', renewal)).status).toBe(200);
  });

  test('renewals of subscriptions from before the import earn until the recurring period ends', async () => {
    const world = await openWorld();
    const { body: policies } = await world.ask('GET', '/commission-policies');
    const [policy] = policies['data'] as { id: number }[];
    const terms = { type: 'percent', rate: 10, recurring_months: 12 };
    expect((await world.ask('PUT', `/commission-policies/${policy?.id}`, terms)).status).toBe(200);
    const columns =
      'id,amount,currency,state,created_at,sale.sale_amount_cents,affiliate.id,stripe_customer_id';
    const folder = makeFolder({
      'affiliates.csv': 'id,first_name,email,token\np0,Pia,pia@partner.example,pia\n',
      'commissions.csv': `${columns}\nc1,100,USD,voided,2026-01-31,1000,p0,cus_1\nc2,100,USD,paid,2026-02-01,1000,p0,cus_1\n`,
    });
    expect((await importVendor(world.engine, rewardful, folder)).code).toBe(0);
    const pay = async (at: string, fields: object) => {
      world.clock.now = Date.parse(at);
      const sale = { transaction_id: `in_${at}`, amount_cents: 1_000, customer_key: 'cus_1', ...fields };
      return (await world.track('sale', sale)).body;
    };
    const renewal = { subscription_id: 'sub_1', is_recurring: true };
    expect(await pay('2026-11-15', { subscription_id: 'sub_2' })).toMatchObject({ reason: 'window_expired' });
    expect(await pay('2026-11-16', {})).toMatchObject({ reason: 'window_expired' });
    expect(await pay('2026-12-01', renewal)).toMatchObject({ commission_id: expect.any(Number) });
    expect(await pay('2027-02-01', renewal)).toMatchObject({ commission_id: expect.any(Number) });
    expect(await pay('2027-02-02', renewal)).toMatchObject({
      commission_id: null,
      reason: 'recurring_ended',
    });
    const other = { ...renewal, subscription_id: 'sub_3' };
    expect(await pay('2027-02-03', other)).toMatchObject({ commission_id: null, reason: 'recurring_ended' });

    const { body } = await world.ask('GET', '/trace?transaction_id=in_2027-02-03');
    const steps = (body['data'] as { steps: { reason: string; detail: Record<string, unknown> }[] }).steps;
    const imported = steps.filter(({ reason }) => reason === 'commission_imported');
    const renewals = steps.filter(({ reason }) => reason === 'renewal_of_subscription');
    const ended = steps.filter(({ reason }) => reason === 'recurring_ended');
    expect(renewals).toHaveLength(2);
    expect(ended).toHaveLength(2);
    for (const { detail } of [...renewals, ...ended]) {
      expect(detail).toMatchObject({
        first_commission_id: imported.at(-1)?.detail['id'],
        first_commission_date: '2026-02-01T00:00:00.000Z',
        earns_through: '2027-02-01',
      });
    }
    expect((await verifyLedger(world.affkit.runtime, world.program.id)).fault).toBeNull();
    expect(await checkTotals(world.affkit.runtime, world.program.id)).toEqual([]);
  });

  test('renewals of subscriptions that began after the import do not renew an imported commission', async () => {
    const world = await openWorld();
    const columns =
      'id,amount,currency,state,created_at,sale.sale_amount_cents,affiliate.id,stripe_customer_id';
    const folder = makeFolder({
      'affiliates.csv': 'id,first_name,email,token\np0,Pia,pia@partner.example,pia\n',
      'commissions.csv': `${columns}\nc1,100,USD,paid,2026-01-31,1000,p0,cus_1\n`,
    });
    expect((await importVendor(world.engine, rewardful, folder)).code).toBe(0);
    const pay = async (id: string, at: string, fields: object) => {
      world.clock.now = Date.parse(at);
      const sale = { transaction_id: id, amount_cents: 1_000, customer_key: 'cus_1', ...fields };
      return (await world.track('sale', sale)).body;
    };
    const expired = { commission_id: null, reason: 'window_expired' };
    const renewal = { subscription_id: 'sub_new', is_recurring: true };
    expect(await pay('in_1', '2026-12-01', { subscription_id: 'sub_new' })).toMatchObject(expired);
    expect(await pay('in_2', '2027-01-01', renewal)).toMatchObject(expired);
    const old = { subscription_id: 'sub_old', is_recurring: true };
    expect(await pay('in_3', '2027-01-02', old)).toMatchObject({ commission_id: expect.any(Number) });
  });

  test('deducts refunds that the processor reported days before the import', async () => {
    const world = await openWorld();
    const connection = {
      workspace_id: world.workspaceId,
      processor: 'stripe',
      account_id: 'acct_1',
      webhook_secret: WEBHOOK_SECRET,
    };
    const created = await world.call('POST', CONNECTIONS, connection, { ...(await signInOwner(world)) });
    const { webhook_path: path } = created.body['data'] as { webhook_path: string };
    const payload = JSON.stringify(event('charge.refunded', charge('current', '2', 10_000, 10_000)));
    const headers = { 'stripe-signature': sign(payload, WEBHOOK_SECRET, world.clock.now) };
    expect((await world.call('POST', path, payload, headers)).body).toMatchObject({ outcome: 'parked' });
    world.clock.now += 2 * DAY;
    await world.affkit.jobs.runOnce();

    await importVendor(world.engine, rewardful, join(EXPORTS, 'rewardful'));
    await world.affkit.jobs.runOnce();
    const { commissions } = await readMoneyRecords(world);
    const expected = USD.map((row) => (row.cents === 2000 ? { ...row, status: 'reversed' } : row));
    expect(commissions).toEqual(byEmailAndStatus([...expected, YEN]));
    expect((await verifyLedger(world.affkit.runtime, world.program.id)).fault).toBeNull();
  });

  test('a trace does not say that the clicks of an imported customer were removed', async () => {
    const world = await openWorld();
    await importVendor(world.engine, rewardful, join(EXPORTS, 'rewardful'));
    const reasonsOf = async () => {
      const { body } = await world.ask('GET', '/trace?transaction_id=rewardful:com-2');
      return (body['data'] as { steps: { reason: string }[] }).steps.map(({ reason }) => reason);
    };
    const reasons = await reasonsOf();
    const { createdAt } = await world.engine.read
      .selectFrom('customers')
      .select((eb) => eb.fn.max('created_at').as('createdAt'))
      .executeTakeFirstOrThrow();
    await markAsRemoved(world.engine, createdAt);
    expect(await reasonsOf()).toEqual(reasons);
  });
});

function byEmailAndStatus<Row extends { email: string; status: string }>(rows: readonly Row[]): Row[] {
  const key = ({ email, status }: Row) => `${email} ${status}`;
  return [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function makeFolder(files: Readonly<Record<string, string>>): string {
  const folder = makeTempFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Returns a hundred commissions of two partners, half of them paid in two payouts. */
function manyRows(): Record<string, string> {
  const rows = Array.from({ length: 100 }, (_, index) => {
    const paid = index % 2 === 0 ? `paid,2024-0${(index % 4) + 1}-05` : 'due,';
    return `c${index},${100 + index},USD,${paid},2024-01-0${(index % 9) + 1},1000,p${index % 2},cus_${index % 7}`;
  });
  return {
    'affiliates.csv':
      'id,first_name,email,token\np0,Pia,pia@partner.example,pia\np1,Rob,rob@partner.example,rob\n',
    'commissions.csv': `id,amount,currency,state,paid_at,created_at,sale.sale_amount_cents,affiliate.id,stripe_customer_id\n${rows.join('\n')}\n`,
  };
}
