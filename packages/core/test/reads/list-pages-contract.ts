import { CompiledQuery, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import type { Execute } from '../../src/storage/database/engine/kysely.ts';
import { postgresKysely } from '../../src/storage/database/engine/postgres-dialect.ts';
import { sqliteKysely } from '../../src/storage/database/engine/sqlite-dialect.ts';
import { usesCitus } from '../support/citus-server.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { makeWorld, signInOwner, type World } from '../support/world.ts';

const ROWS = 1_200;
const PAGE_SIZE = 10;

interface Statement {
  readonly query: CompiledQuery;
  /** The number of rows that the statement returned. */
  readonly rows: number;
}

export function listPagesContract(kind: string, open: OpenEngine): void {
  describe(`pages of long lists on ${kind}`, () => {
    let world: World;
    let session: { readonly authorization: string };
    let statements: Statement[];

    beforeAll(async () => {
      const engine = await open();
      const execute: Execute = async (query) => {
        const result = await engine.read.executeQuery(query);
        statements.push({ query, rows: result.rows.length });
        return result;
      };
      const recording = engine.dialect === 'sqlite' ? sqliteKysely(execute) : postgresKysely(execute);
      statements = [];
      world = await makeWorld({ ...engine, read: recording });
      session = await signInOwner(world);
      await seed(engine, world);
    });
    afterAll(() => world.affkit.close());
    beforeEach(() => {
      statements = [];
    });

    const list = async (path: string) => {
      const { status, body } = await world.call('GET', path, undefined, session);
      expect([path, status]).toEqual([path, 200]);
      return body as { data: Record<string, unknown>[]; meta: { pagination: Record<string, unknown> } };
    };
    const inProgram = (path: string) => list(`/api/advertiser/affiliate-programs/${world.program.id}${path}`);

    test.each([
      ['commissions', '?q=txn_', { total: 1_000, total_capped: true }],
      ['commissions', '?q=txn_&sort=amount_cents&order=asc', { total: 1_000, total_capped: true }],
      ['commissions', '?q=txn_&page=101', { total: 1_000, total_capped: true }],
      ['commissions', '?q=txn_&status=paid', { total: 0, total_capped: true }],
      ['commissions', '?q=txn_11', { total: 111 }],
      ['customers', '', { total: 1_000, total_capped: true }],
      ['customers', '?q=key-', { total: 1_000, total_capped: true }],
      ['customers', '?q=key-&page=101', { total: 1_000, total_capped: true }],
      ['events', '?q=txn_', { total: 100 }],
      ['events', '?q=txn_&page=11', { total: 100 }],
      ['partners', '?q=name-', { total: ROWS }],
    ])('the list %s%s reads at most one page of rows per statement', async (name, query, total) => {
      const events = `/api/tracking/events/${world.program.id}`;
      const { data, meta } = await (name === 'events' ? list(events + query) : inProgram(`/${name}${query}`));
      const isEmpty = total.total === 0 || query.includes('page=');
      expect(data).toHaveLength(isEmpty ? 0 : PAGE_SIZE);
      expect(meta.pagination).toMatchObject(total);
      expect(Math.max(...statements.map(({ rows }) => rows))).toBeLessThanOrEqual(PAGE_SIZE);
    });

    test.each(['clicks', 'balance_cents'])(
      'sorts partners by %s, from the highest value to the lowest',
      async (sort) => {
        const { data } = await inProgram(`/partners?sort=${sort}&page=2`);
        const ranks = Array.from({ length: PAGE_SIZE }, (_, index) => ROWS - PAGE_SIZE - index);
        expect(data.map(({ name }) => name)).toEqual(ranks.map((rank) => `name-${rank}`));
      },
    );

    test('a list with sort=clicks contains the few partners that match a filter', async () => {
      const { data, meta } = await inProgram('/partners?sort=clicks&status=rejected&pageSize=3');
      expect(data.map(({ name }) => name)).toEqual(['name-1200', 'name-1100', 'name-1000']);
      expect(meta.pagination).toMatchObject({ total: 12 });
    });

    // On a Citus cluster, the plan of the coordinator does not contain the plan nodes of the workers.
    if (kind !== 'Postgres' || usesCitus) return;

    test.each(['clicks', 'balance_cents'])(
      'a list of partners with sort=%s joins only the highest rows',
      async (sort) => {
        await inProgram(`/partners?sort=${sort}`);
        const nodes = await explain('AS figures');
        const joins = nodes.filter((node) => /Join|Nested Loop/.test(node['Node Type']));
        expect(joins).toHaveLength(1);
        expect(joins[0]?.['Actual Rows']).toBeLessThanOrEqual(4 * PAGE_SIZE);
      },
    );

    test('a search of commissions scans their index once', async () => {
      await inProgram('/commissions?q=txn_');
      const nodes = await explain('"commissions"."id", count(*) OVER');
      expect(nodes.filter((node) => node['Relation Name'] === 'commissions')).toEqual([
        expect.objectContaining({ 'Actual Loops': 1, 'Actual Rows': 1_000 }),
      ]);
    });

    /** Explains the statement that contains `text`, and returns the nodes of its plan. */
    async function explain(text: string): Promise<Plan[]> {
      const [query, ...others] = statements
        .map((statement) => statement.query)
        .filter((q) => q.sql.includes(text));
      if (!query || others.length > 0) throw new Error(`${others.length + 1} statements contain ${text}`);
      const explained = CompiledQuery.raw(`EXPLAIN (ANALYZE, FORMAT JSON) ${query.sql}`, [
        ...query.parameters,
      ]);
      const { rows } = await world.engine.read.executeQuery<{ 'QUERY PLAN': string }>(explained);
      const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
      return rows
        .flatMap((row) => (JSON.parse(row['QUERY PLAN']) as [{ Plan: Plan }])[0])
        .flatMap(({ Plan }) => nodesOf(Plan));
    }
  });
}

/** A node of a plan of Postgres. */
interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Loops': number;
  /** Rows per loop. */
  readonly 'Actual Rows': number;
  readonly Plans?: readonly Plan[];
}

/**
 * Adds `ROWS` partners, each with clicks and a balance, and `ROWS` customers, each with a sale and a
 * commission.
 */
async function seed(engine: Engine, { program, workspaceId, anna }: World): Promise<void> {
  const insert = (into: string, values: string) =>
    `INSERT INTO ${into} WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
      SELECT ${values} FROM n`;
  const partner = (value: string) =>
    `(SELECT ${value} FROM partners WHERE email = 'p' || i || '@pages.example')`;
  const { id } = program;
  const statements = [
    insert(
      'partners (workspace_id, email, name, created_at)',
      `${workspaceId}, 'p' || i || '@pages.example', 'name-' || i, i`,
    ),
    insert(
      'partner_programs (program_id, partner_id, status, created_at)',
      `${id}, ${partner('id')}, CASE WHEN i % 100 = 0 THEN 'rejected' ELSE 'approved' END, i`,
    ),
    insert(
      'counters (program_id, subject, subject_id, measure, slot, value, last_at)',
      `${id}, 'partner', ${partner('id')}, 'clicks', 0, i, i`,
    ),
    insert('balances (program_id, partner_id, currency, balance_cents)', `${id}, ${partner('id')}, 'USD', i`),
    insert(
      'customers (program_id, id, click_id, link_id, customer_key, status, last_click_at, created_at)',
      `${id}, i + 10, 'clk_' || i, 1, 'key-' || i, 'lead', i, i`,
    ),
    insert(
      `sales (program_id, id, customer_id, processor_event_id, amount_cents, currency, sale_type, payment_status,
        is_recurring, is_test, sale_at, created_at)`,
      `${id}, i + 10, i + 10, 'txn_' || i, 1000, 'USD', 'payment', 'paid', 0, 0, i, i`,
    ),
    insert(
      `commissions (program_id, id, sale_id, partner_id, customer_id, policy_version_id, amount_cents, deducted_cents,
        currency, status, releasable_at, commission_at, created_at)`,
      `${id}, i + 10, i + 10, ${anna.partnerId}, i + 10,
        (SELECT MIN(id) FROM policy_versions WHERE program_id = ${id}), 200, 0, 'USD', 'pending', i, i, i`,
    ),
  ];
  await engine.write(id, async ({ db }) => {
    for (const statement of statements) await sql.raw(statement).execute(db);
  });
  if (engine.dialect === 'sqlite') return;
  for (const table of ['partner_programs', 'counters', 'balances', 'sales', 'commissions']) {
    await engine.write(id, ({ db }) => sql`ANALYZE ${sql.table(table)}`.execute(db));
  }
}
