import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../core/test/durability/open-database.ts';
import { createRandom } from '../../../core/test/support/create-random.ts';
import { makeTempFolder } from '../../../core/test/support/make-temp-folder.ts';
import { type PostgresServer, startPostgres } from '../../../core/test/support/postgres-server.ts';
import { attackSeed } from '../../../core/test/support/test-depth.ts';
import { expectConsistent, prepareDatabase } from '../database-fixture.ts';
import { FAULTS, startChaosProxy } from './chaos-proxy.ts';
import { type Plan, planEvents } from './plan.ts';
import { RestartedServer } from './restarted-server.ts';
import { Sender } from './sender.ts';

const EVENTS = 10_000;
const CUSTOMERS = 300;
const SERVER_KILLS = 20;
const SENDER_KILLS = 20;
const REQUEST_TIMEOUT_MS = 1_000;
/** The maximum random delay of a kill. Without a delay, each kill would come at the start of a request. */
const MAX_KILL_DELAY_MS = 100;
/** The sender's clock is ahead by at most this time. */
const MAX_CLOCK_ERROR_MS = 10 * 60_000;

let postgres: PostgresServer;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres?.stop());

test.each([
  ['spool', 'SQLite'],
  ['spool', 'Postgres'],
  ['outbox', 'SQLite'],
] as const)(
  `stores each of ${EVENTS} events of the %s once on %s, despite proxy faults and kills of the sender and the server`,
  async (store, databaseKind) => {
    const seed = attackSeed();
    const random = createRandom(seed);
    const startedAt = Date.now();
    const folder = makeTempFolder();
    const path = join(folder, store);
    const database = databaseKind === 'SQLite' ? join(folder, 'affkit.db') : await postgres.createDatabase();
    const { env, token, code } = await prepareDatabase(database);
    const { promise: failure, reject: onFailure } = Promise.withResolvers<never>();
    const server = new RestartedServer(env, onFailure);
    onTestFinished(() => server.kill());
    const clickIds = await server.click(code, CUSTOMERS);
    const plan = planEvents(EVENTS, clickIds, random);

    // A fault occurs when the number of requests reaches one of these values. All values are reached, because there
    // are at least `EVENTS` requests.
    const pickTimes = (count: number) => Array.from({ length: count }, () => random(EVENTS));
    const serverKills = pickTimes(SERVER_KILLS);
    const senderKills = pickTimes(SENDER_KILLS);
    const pages = [Math.floor(EVENTS / 3), Math.floor((EVENTS * 2) / 3)];
    const unsent = [...plan.customers];
    const onRequest = (now: number) => {
      const takeDue = (times: number[]) => {
        const due = times.findIndex((time) => time <= now);
        return due >= 0 && times.splice(due, 1).length > 0;
      };
      // Spread the calls over most of the run, so that the sender is killed both while it stores and while it
      // sends.
      while (now >= EVENTS * (0.8 - unsent.length / CUSTOMERS) && unsent.length > 0) {
        sender.send(unsent.shift() ?? []);
      }
      if (takeDue(serverKills)) setTimeout(() => server.restart(), random(MAX_KILL_DELAY_MS));
      if (takeDue(senderKills)) setTimeout(() => sender.kill(), random(MAX_KILL_DELAY_MS));
      if (takeDue(pages)) proxy.showsPage = true;
    };
    const proxy = await startChaosProxy(random, {
      targetPort: () => server.port,
      lateMs: REQUEST_TIMEOUT_MS + 200,
      onRequest,
    });
    onTestFinished(() => proxy.close());
    const options = { baseUrl: proxy.baseUrl, token, timeoutMs: REQUEST_TIMEOUT_MS };
    const sender = new Sender({ ...options, store, path });
    onTestFinished(() => sender.stop());
    let halts = 0;
    sender.on('halted', () => {
      if (!proxy.showsPage) return;
      proxy.showsPage = false;
      halts += 1;
      // A halted spool retries every minute. After a flush or a restart, it retries immediately.
      if (halts % 2 === 1) sender.flush();
      else sender.kill();
    });
    sender.on('failed', onFailure);
    const stored = new Promise<void>((resolve) => {
      sender.on('stored', () => {
        if (unsent.length === 0 && !sender.hasPendingCalls) resolve();
      });
    });
    onRequest(0);
    await Promise.race([stored, failure]);
    expect(await Promise.race([sender.drain(), failure])).toBe('drained, 0 dead');
    expect(await server.close()).toBe(0);

    const { answers, lostReplies, repeats } = proxy;
    console.log(
      `${store} on ${databaseKind}, seed ${seed}: ${EVENTS} events, ${Math.round((Date.now() - startedAt) / 1000)} s, kills:`,
      { server: server.kills, sender: sender.kills },
      { ...Object.fromEntries(answers), lostReplies, repeats },
    );
    // The folder `tmp` is not checked, because it may contain drafts of calls that never resolved.
    if (store === 'spool') {
      expect(['ready', 'dead'].map((name) => readdirSync(join(path, name)))).toEqual([[], []]);
    }
    const lines = clickIds.flatMap((id) => [`click ${id}`, `lead ${id}`]);
    await expectConsistent(database, lines);
    await expectExactly(database, plan, startedAt);

    // All planned faults must have occurred.
    expect([serverKills, senderKills, pages, halts]).toEqual([[], [], [], 2]);
    expect(FAULTS.filter((fault) => !answers.has(fault))).toEqual([]);
    expect(Math.min(lostReplies, repeats)).toBeGreaterThan(EVENTS / 20);
  },
  900_000,
);

/**
 * Expects exactly the planned sales, commissions, and deductions. The balance must be the sum of the
 * commissions minus the deductions. The times of sales and leads must be plausible.
 */
async function expectExactly(database: string, { sales, customers }: Plan, startedAt: number): Promise<void> {
  const engine = openDatabase(database);
  try {
    const rows = await engine.read
      .selectFrom('sales')
      .innerJoin('commissions', 'commissions.sale_id', 'sales.id')
      .select([
        'sales.processor_event_id as transactionId',
        'sales.amount_cents as amountCents',
        'commissions.amount_cents as commissionCents',
        'commissions.deducted_cents as deductedCents',
        'sales.sale_at as at',
      ])
      .execute();
    const byId = new Map(rows.map(({ at, ...row }) => [row.transactionId, row]));
    expect(rows.length).toBe(sales.length);
    expect(sales.map(({ transactionId }) => byId.get(transactionId))).toEqual(sales);
    const balances = await engine.read
      .selectFrom('balances')
      .select('balance_cents')
      .where('program_id', '<>', 0)
      .execute();
    const earned = sales.reduce((sum, sale) => sum + sale.commissionCents - sale.deductedCents, 0);
    expect(balances).toEqual([{ balance_cents: earned }]);
    const refunds = await engine.read.selectFrom('refunds').select('sale_id').execute();
    const leads = await engine.read.selectFrom('lead_events').select('lead_at as at').execute();
    expect(refunds.length).toBe(customers.flat().filter((call) => call.operation === 'refund').length);
    for (const { at } of [...rows, ...leads]) {
      expect(at).toBeGreaterThanOrEqual(startedAt - MAX_CLOCK_ERROR_MS);
      expect(at).toBeLessThanOrEqual(Date.now());
    }
  } finally {
    await engine.close();
  }
}
