import { CompiledQuery, type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { countLinkTotals } from '../../src/jobs/count-link-totals.ts';
import type { Engine, Transaction } from '../../src/storage/database/engine/engine.ts';
import { postgresKysely } from '../../src/storage/database/engine/postgres-dialect.ts';
import { deleteExpired } from '../../src/storage/database/expiry.ts';
import type { Schema } from '../../src/storage/database/schema.ts';
import { approveReleased } from '../../src/storage/money/holds.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { isBreakdownCaughtUp } from '../../src/storage/reads/breakdowns.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';

let url: string;
let engine: Engine;

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  engine = postgresEngine({ connectionString: url });
});

afterEach(async () => {
  await engine.close();
  await dropDatabase(url);
});

/** Runs `work` and returns the query plan of each of its statements. */
async function explain(work: (tx: Transaction) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  await engine.write(1, async (tx) => {
    const db: Kysely<Schema> = postgresKysely(async (query) => {
      const explained = CompiledQuery.raw(`EXPLAIN ${query.sql}`, [...query.parameters]);
      const { rows } = await tx.db.executeQuery<Record<string, string>>(explained);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
      return await tx.db.executeQuery(query);
    });
    // The cast is safe, because the work uses only these two members.
    await work({ db, dialect: tx.dialect } as Transaction);
  });
  return plans;
}

const NONE = {
  clickKeysBefore: 0,
  sessionsBefore: 0,
  invitesBefore: 0,
  loginFailuresBefore: 0,
  bulkRequestsBefore: 0,
  emailsBefore: 0,
  webhooksBefore: 0,
};

test('finds expired commit markers by index', async () => {
  await engine.write(1, (tx) =>
    sql`INSERT INTO commit_markers (id, created_at)
      SELECT 'id-' || n, extract(epoch FROM now()) * 1000 FROM generate_series(1, 20000) AS n`.execute(tx.db),
  );
  await engine.write(1, (tx) => sql`ANALYZE commit_markers`.execute(tx.db));
  const plans = await explain((tx) => deleteExpired(tx, NONE));
  expect(plans.at(-1)).toMatch(/using commit_markers_by_age on commit_markers/i);
  expect(plans.at(-1)).not.toContain('Seq Scan');
});

test.each([0, 20_000])('approves released commissions without a sequential scan (%i rows)', async (count) => {
  await engine.write(1, async (tx) => {
    await sql`SET LOCAL session_replication_role = replica`.execute(tx.db);
    await sql`INSERT INTO commissions (id, program_id, sale_id, partner_id, customer_id, policy_version_id, amount_cents,
        deducted_cents, currency, status, releasable_at, commission_at, created_at)
      SELECT n, 1, n, 1, 1, 1, 100, 0, 'USD', 'pending', n, n, n FROM generate_series(1, ${sql.lit(count)}) AS n`.execute(
      tx.db,
    );
  });
  const [plan] = await explain((tx) =>
    approveReleased(tx, { programId: 1, workspaceId: 1, count: 500 }, 1_000),
  );
  expect(plan).toMatch(/Tid Scan on commissions .*\n.*TID Cond: \(ctid = ANY/);
  expect(plan).toMatch(/Index Scan (using|on) commissions_on_hold/);
  expect(plan).not.toContain('Seq Scan');
});

test('uses an index to check whether all events are counted', async () => {
  const count = 20_000;
  await engine.write(1, async (tx) => {
    await sql`SET LOCAL session_replication_role = replica`.execute(tx.db);
    await sql`INSERT INTO click_events (program_id, customer_id, click_id, is_test, click_at, created_at)
      SELECT 1, 1, 'clk_' || n, 0, n, n FROM generate_series(1, ${sql.lit(count)}) AS n`.execute(tx.db);
  });
  await engine.write(1, (tx) => sql`ANALYZE click_events`.execute(tx.db));
  const plans = await explain(({ db, dialect }) =>
    isBreakdownCaughtUp({ dialect, read: db } as Engine, 1, {
      ids: { click: count, lead: 0, sale: 0 },
      asOf: null,
    }),
  );
  expect(plans.join()).toMatch(
    /Index Scan Backward using \S+ on click_events\w* .*\n +Index Cond: .* AND \(id >/,
  );
  expect(plans.join()).not.toContain('Seq Scan on click_events');
});

test('counts link totals in few batches when there are large gaps between the click ids of a program', async () => {
  const clicks = 200;
  const idsPerClick = 5_000;
  await engine.write(1, async (tx) => {
    await sql`SET LOCAL session_replication_role = replica`.execute(tx.db);
    await sql`INSERT INTO programs (id, workspace_id, name, slug, site_url, status, cookie_window_days,
      attribution_model, hold_days, currency, allowed_origins, browser_leads, api_token_masked, created_at)
      VALUES (1, 1, 'Shop', 'shop', 'https://shop.example', 'live', 60, 'last_click', 0, 'USD', '[]', 'all', '', 1)`.execute(
      tx.db,
    );
    await sql`INSERT INTO program_shards (program_id) VALUES (1)`.execute(tx.db);
    await sql`INSERT INTO click_events (program_id, id, link_id, click_id, is_test, click_at, created_at)
      SELECT 1, n * ${sql.lit(idsPerClick)}, 1, 'clk_' || n, 0, n, n FROM generate_series(1, ${sql.lit(clicks)}) AS n`.execute(
      tx.db,
    );
  });
  const settled = { click: clicks * idsPerClick, lead: 0, sale: 0, commission: 0 };
  let turns = 1;
  while (await countLinkTotals(engine, settled, 7)) turns += 1;
  expect(turns).toBeLessThan(clicks / 2);
  const totals = await engine.read.selectFrom('link_totals').select(['measure', 'total']).execute();
  expect(totals).toEqual([{ measure: 'clicks', total: clicks }]);
  const progress = await engine.read.selectFrom('link_total_progress').selectAll().executeTakeFirst();
  expect(progress).toMatchObject({ click_id: settled.click, as_of: 7 });
});
