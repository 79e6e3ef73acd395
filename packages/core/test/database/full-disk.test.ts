import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { makeWorld, type Reply, type World } from '../support/world.ts';

const MANY_PAGES = 1_000_000;

let folder: string;
let path: string;
let world: World;
let logged: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'affkit-full-'));
  path = join(folder, 'affkit.db');
  logged = [];
  const log = (_fields: unknown, message: string) => void logged.push(message);
  world = await makeWorld(sqliteEngine({ path }), {}, { logger: { info: log, warn: log, error: log } });
});

afterEach(async () => {
  expect(await auditLedger(world.engine)).toEqual([]);
  await world.affkit.close();
  rmSync(folder, { recursive: true });
});

/** Limits the database size. SQLite reports a write beyond the limit as a full disk. */
const limitPages = (count: number) =>
  world.engine.write('clicks', ({ db }) => sql`PRAGMA max_page_count = ${sql.lit(count)}`.execute(db));

async function countRows(table: 'click_events' | 'sales' | 'refunds' | 'commissions' | 'outbox') {
  const rows = world.engine.read.selectFrom(table);
  return (await rows.select((select) => select.fn.countAll<number>().as('n')).executeTakeFirstOrThrow()).n;
}

/** Sends concurrent clicks and sales, then a refund for each successful sale. */
async function sendRound(round: number): Promise<{ clicks: Reply[]; sales: Reply[]; refunds: Reply[] }> {
  const click_id = clickId;
  const all = <T>(send: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: 20 }, (_, i) => send(i)));
  const [clicks, sales] = await Promise.all([
    all((i) =>
      world.call('POST', '/api/v1/track/click', {
        affiliate_url: 'https://shop.example/?aff=anna',
        page_url: `https://shop.example/${'x'.repeat(1000)}${i}`,
      }),
    ),
    all((i) => world.track('sale', { transaction_id: `${round}-${i}`, amount_cents: 1000, click_id })),
  ]);
  const sold = sales.flatMap((reply, i) => (reply.status === 200 ? [`${round}-${i}`] : []));
  const refunds = await Promise.all(
    sold.map((transaction_id) => world.track('refund', { transaction_id, refund_amount_cents: 100 })),
  );
  return { clicks, sales, refunds };
}

let clickId: string;

const succeeded = (replies: readonly Reply[]) => replies.filter(({ status }) => status === 200).length;

test('a full disk causes 503s and one warning, loses no acknowledged event, and recovers', async () => {
  clickId = await world.click('anna');
  const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(world.engine.read);
  await limitPages((rows[0]?.page_count ?? 0) + 40);
  const acknowledged = { click_events: 1, sales: 0, refunds: 0 };
  const rejected: Reply[] = [];
  for (let round = 0; rejected.length < 200; round++) {
    const { clicks, sales, refunds } = await sendRound(round);
    acknowledged.click_events += succeeded(clicks);
    acknowledged.sales += succeeded(sales);
    acknowledged.refunds += succeeded(refunds);
    rejected.push(...[...clicks, ...sales, ...refunds].filter(({ status }) => status !== 200));
  }
  expect(acknowledged.sales).toBeGreaterThan(0);
  for (const { status, body, headers } of rejected) {
    expect([status, body['code'], headers['retry-after']]).toEqual([503, 'unavailable', '1']);
  }
  expect(logged).toEqual([
    `answered 503: The disk of the SQLite database ${path} is full. Free up space; writes then resume automatically`,
  ]);
  for (const table of ['click_events', 'sales', 'refunds'] as const) {
    expect([table, await countRows(table)]).toEqual([table, acknowledged[table]]);
  }
  // Each acknowledged sale has its commission.
  expect(await countRows('commissions')).toBe(acknowledged.sales);

  await limitPages(MANY_PAGES);
  const { clicks, sales, refunds } = await sendRound(-1);
  expect([succeeded(clicks), succeeded(sales), succeeded(refunds)]).toEqual([20, 20, 20]);
});
