import { CompiledQuery, type Kysely } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listModelChanges } from '../../src/storage/accounts/audit-log.ts';
import type { Engine, Transaction } from '../../src/storage/database/engine/engine.ts';
import { sqliteKysely } from '../../src/storage/database/engine/sqlite-dialect.ts';
import type { Schema } from '../../src/storage/database/schema.ts';
import { findFirstCommission } from '../../src/storage/money/commissions.ts';
import { approveReleased, findDueHolds } from '../../src/storage/money/holds.ts';
import { findUnsealedPrograms } from '../../src/storage/money/ledger-chain.ts';
import { findPayable } from '../../src/storage/money/payable.ts';
import { listLinksOfPartners } from '../../src/storage/programs/links.ts';
import { listEnrolledPartners } from '../../src/storage/programs/partner-list.ts';
import { listCommissions, listCommissionsAfter } from '../../src/storage/reads/commission-list.ts';
import { sumCommissions } from '../../src/storage/reads/commission-totals.ts';
import { findFirstDay } from '../../src/storage/reads/daily-totals.ts';
import { readJobBacklog } from '../../src/storage/reads/job-backlog.ts';
import {
  listPortalCommissions,
  listPortalCommissionsAfter,
} from '../../src/storage/reads/portal-commissions.ts';
import { findProgramHealth } from '../../src/storage/reads/program-health.ts';
import { findSummary } from '../../src/storage/reads/summary.ts';
import { findClickIdOfCustomer } from '../../src/storage/tracking/customers.ts';
import { listKnownTransactions } from '../../src/storage/tracking/sales.ts';
import { migratedInMemory } from '../support/migrated-sqlite.ts';

let engine: Engine;
let plan: string[];
/** Runs statements, and adds the query plan of each statement to `plan`. */
let db: Kysely<Schema>;

const ALL_COMMISSIONS = {
  q: undefined,
  status: null,
  partnerId: null,
  payoutId: null,
  isInReview: false,
  range: { from: null, to: null },
};

beforeEach(async () => {
  engine = await migratedInMemory();
  plan = [];
  db = sqliteKysely(async (query) => {
    const explain = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${query.sql}`, [...query.parameters]);
    const { rows } = await engine.read.executeQuery<{ detail: string }>(explain);
    plan.push(...rows.map(({ detail }) => detail));
    return await engine.read.executeQuery(query);
  });
});

afterEach(() => engine.close());

test("findFirstCommission reads only the customer's commissions, by index", async () => {
  await findFirstCommission(db, { id: 1, workspaceId: 1 }, 2, 'sub_1', { asOf: null, upTo: 3 });
  expect(plan[0]).toBe(
    'SEARCH commissions USING INDEX commissions_by_subscription (program_id=? AND customer_id=? AND subscription_id=?)',
  );
  expect(plan.filter((step) => /^SCAN/.test(step))).toEqual([]);
  expect(plan).toContainEqual(
    expect.stringMatching(/^SEARCH processor_refs USING .*\(workspace_id=\? AND ref=\?\)$/),
  );
});

test('listKnownTransactions looks up only the requested ids, by index', async () => {
  await listKnownTransactions({ dialect: 'sqlite', read: db }, { id: 1, workspaceId: 2 }, ['order-1']);
  expect(plan.filter((step) => step.startsWith('SEARCH'))).toEqual([
    expect.stringMatching(/^SEARCH sales .*\(program_id=\? AND is_test=\? AND processor_event_id=\?\)$/),
    expect.stringMatching(/^SEARCH processor_refs .*\(workspace_id=\? AND ref=\?\)$/),
  ]);
});

test('readJobBacklog reads only waiting rows, by index', async () => {
  await readJobBacklog(db);
  const tables = ['outbox', 'webhook_deliveries', 'emails', 'payout_transfers', 'ledger_entries'];
  const indexes = [
    'outbox_by_time',
    'webhook_deliveries_expiring',
    'emails_due',
    'payout_transfers_due',
    'ledger_entries_unsealed',
  ];
  const steps = plan.filter(
    (step) => /^(SEARCH|SCAN) [a-z]+_?[a-z]+ /.test(step) && !step.includes('waiting'),
  );
  expect(steps.map((step) => step.replace(/ \(.*/, '').replace('COVERING ', '').split(' ').slice(1))).toEqual(
    tables.map((table, at) => [table, 'USING', 'INDEX', indexes[at]]),
  );
  expect(plan.join('\n')).not.toContain('TEMP B-TREE');
});

test('findDueHolds and approveReleased read only commissions whose hold has ended, by index', async () => {
  const searchesReleased = expect.stringMatching(
    /^SEARCH commissions USING .*INDEX commissions_on_hold \(releasable_at<\?\)$/,
  );
  await findDueHolds(db, 1, 500);
  expect(plan).toContainEqual(searchesReleased);
  plan = [];
  // The cast is safe, because approveReleased uses no other member of a transaction.
  await approveReleased(
    { db, dialect: 'sqlite', isCluster: false } as Transaction,
    { programId: 1, workspaceId: 1, count: 5 },
    1,
  );
  expect(plan).toContainEqual(searchesReleased);
  expect(plan.filter((step) => /^SCAN commissions/.test(step))).toEqual([]);
});

test.each([
  ['an id', '#17'],
  ['a transaction id', 'order-1'],
])('listPortalCommissions finds a commission by %s without reading the others', async (_name, q) => {
  const filter = { q, status: null, payoutId: null, range: { from: 1, to: 2 } };
  const selection = { programIds: [1], partnerIds: [2] };
  await listPortalCommissions({ dialect: 'sqlite', read: db }, selection, filter, { offset: 0, limit: 10 });
  const steps = plan.filter((step) => /^(SEARCH|SCAN) (commissions|sales)/.test(step));
  expect(steps).toEqual([
    expect.stringMatching(/^SEARCH sales .*\(program_id=\? AND is_test=\? AND processor_event_id=\?\)$/),
    expect.stringMatching(/^SEARCH commissions .*\(program_id=\? AND sale_id=\?\)$/),
    'SEARCH commissions USING INTEGER PRIMARY KEY (rowid=?)',
  ]);
});

test('listPortalCommissions counts all commissions with the stored totals', async () => {
  const filter = {
    q: undefined,
    status: 'refunded',
    payoutId: null,
    range: { from: null, to: null },
  } as const;
  const selection = { programIds: [1], partnerIds: [2] };
  await listPortalCommissions({ dialect: 'sqlite', read: db }, selection, filter, { offset: 0, limit: 10 });
  expect(plan.filter((step) => /^(SEARCH|SCAN) commissions /.test(step))).toEqual([]);
  expect(plan.filter((step) => step.startsWith('SEARCH commission_totals'))).toHaveLength(1);
});

test.each(
  ([null, 'refunded'] as const).flatMap((status) => [
    { status, range: { from: null, to: null }, key: '' },
    { status, range: { from: 1, to: null }, key: ' AND commission_at>?' },
    { status, range: { from: null, to: 2 }, key: ' AND commission_at<?' },
    { status, range: { from: 1, to: 2 }, key: ' AND commission_at>?' },
  ]),
)(
  'listPortalCommissionsAfter reads only commissions of the partner, by index ($status, $range)',
  async ({ status, range, key }) => {
    const filter = { q: undefined, status, payoutId: null, range };
    const selection = { programIds: [1], partnerIds: [2] };
    await listPortalCommissionsAfter({ dialect: 'sqlite', read: db }, selection, filter, null, 10);
    expect(plan.filter((step) => /^(SEARCH|SCAN) commissions /.test(step))).toEqual([
      expect.stringContaining(`(program_id=? AND partner_id=?${key})`),
      'SEARCH commissions USING INTEGER PRIMARY KEY (rowid=?)',
    ]);
  },
);

test.each([
  [
    'commissions that wait for an approval',
    { isInReview: true },
    'SEARCH reviewed USING INDEX commissions_in_review (program_id=? AND customer_id>?)',
  ],
  [
    'commissions of a payout',
    { payoutId: 2 },
    'SEARCH paid_out USING COVERING INDEX commissions_by_payout (program_id=? AND payout_id=?)',
  ],
])('listCommissions and its count use an index to find %s', async (_name, chosen, expected) => {
  const page = { offset: 0, limit: 1 };
  const by = { sort: 'commission_date', order: 'desc' } as const;
  await listCommissions({ dialect: 'sqlite', read: db }, 1, { ...ALL_COMMISSIONS, ...chosen }, by, page);
  const steps = plan.filter((step) => /^(SEARCH|SCAN) (commissions|reviewed|paid_out)/.test(step));
  const byId = 'SEARCH commissions USING INTEGER PRIMARY KEY (rowid=?)';
  expect(steps.slice(0, 4)).toEqual([byId, expected, byId, expected]);
});

test.each([
  [
    'of a partner',
    { partnerId: 2 },
    /^SEARCH commissions USING INDEX commissions_by_partner\w* \(program_id=\? AND partner_id=\?/,
  ],
  [
    'of a payout',
    { payoutId: 2 },
    /^SEARCH paid_out USING COVERING INDEX commissions_by_payout \(program_id=\? AND payout_id=\?\)$/,
  ],
  [
    'that wait for an approval',
    { isInReview: true },
    /^SEARCH reviewed USING INDEX commissions_in_review \(program_id=\? AND customer_id>\?\)$/,
  ],
  [
    'of a time range',
    { range: { from: 1, to: 2 } },
    /^SEARCH commissions USING INDEX commissions_by_\w+ \(.*commission_at>\? AND commission_at<\?\)$/,
  ],
  [
    'of a currency',
    {},
    /^SEARCH commissions USING COVERING INDEX commissions_by_\w*amount \(program_id=\? AND .*currency=\?/,
  ],
])('a list sorted by amount reads only the commissions %s, by index', async (name, chosen, expected) => {
  const last = { id: 9, commission_at: 9, amount_cents: 9, currency: 'USD' };
  for (const order of ['asc', 'desc'] as const) {
    for (const status of [null, 'paid'] as const) {
      plan = [];
      const by = { sort: 'amount_cents', order } as const;
      const filter = { ...ALL_COMMISSIONS, ...chosen, status };
      await listCommissionsAfter({ dialect: 'sqlite', read: db }, 1, filter, by, last, 1);
      expect(plan).toContainEqual(expect.stringMatching(expected));
      const wholeProgram = /commissions USING .*\(program_id=\?( AND status=\?)?\)$/;
      expect(plan.filter((step) => wholeProgram.test(step))).toEqual([]);
      expect(plan.some((step) => step.includes('TEMP B-TREE'))).toBe(name !== 'of a currency');
    }
  }
});

test('a search finds commissions by the transaction ids of their sales, by index', async () => {
  const page = { offset: 0, limit: 1 };
  const bySales = [
    'SEARCH commissions USING INTEGER PRIMARY KEY (rowid=?)',
    'SEARCH sales USING INDEX sales_by_prefix (program_id=? AND <expr>>? AND <expr><?)',
    expect.stringMatching(/^SEARCH commission USING COVERING INDEX .*\(program_id=\? AND sale_id=\?\)$/),
  ];
  const readsBySales = async (read: () => Promise<unknown>) => {
    plan = [];
    await read();
    const steps = plan.filter((step) => /^(SEARCH|SCAN) (commissions|sales|commission)/.test(step));
    expect(steps.slice(0, 3)).toEqual(bySales);
  };
  const reader = { dialect: 'sqlite', read: db } as const;
  for (const status of [null, 'paid'] as const) {
    const filter = { ...ALL_COMMISSIONS, q: 'txn_1', status, partnerId: 3 };
    await readsBySales(() => sumCommissions(reader, 1, filter));
    for (const sort of ['commission_date', 'amount_cents'] as const) {
      await readsBySales(() => listCommissions(reader, 1, filter, { sort, order: 'desc' }, page));
    }
  }
});

test.each(['clicks', 'balance_cents'] as const)(
  'listEnrolledPartners looks up only partners with the highest %s',
  async (sort) => {
    const program = { id: 1, currency: 'USD' };
    const query = { sort, order: 'desc' } as const;
    await listEnrolledPartners({ dialect: 'sqlite', read: db }, program, query, { offset: 0, limit: 10 });
    const start = plan.indexOf('CO-ROUTINE figures');
    expect(plan.slice(start + 1, start + 5)).toEqual([
      expect.stringMatching(/^SEARCH (counters|balances) USING INDEX/),
      'USE TEMP B-TREE FOR ORDER BY',
      'SCAN figures',
      expect.stringMatching(/^SEARCH listed USING .*\(program_id=\? AND partner_id=\?\)$/),
    ]);
    expect(plan[start + 5]).not.toContain('TEMP B-TREE');
  },
);

test('listLinksOfPartners reads only the links of the partners, by index', async () => {
  await listLinksOfPartners(db, 1, [2, 3]);
  expect(plan[0]).toBe('SEARCH links USING INDEX links_by_partner (program_id=? AND partner_id=?)');
});

test.each([
  ['a program', null, 'INDEX held_totals_by_day (program_id=? AND release_day>?)'],
  ['partners', [2, 3], 'PRIMARY KEY (program_id=? AND partner_id=? AND release_day>?)'],
])(
  'findPayable of %s reads single commissions only for the current day',
  async (_name, partnerIds, totals) => {
    await findPayable(db, { programId: 1, partnerIds }, 5);
    expect(plan.filter((step) => /(commissions|held_totals) /.test(step))).toEqual([
      expect.stringMatching(/^SEARCH commissions USING INDEX commissions_disputed /),
      `SEARCH held_totals USING ${totals}`,
      'SEARCH commissions USING INDEX commissions_held (program_id=? AND releasable_at>? AND releasable_at<?)',
    ]);
  },
);

test('findUnsealedPrograms reads one unsealed ledger entry per program, by index', async () => {
  await findUnsealedPrograms(db);
  expect(plan).toContainEqual(
    expect.stringMatching(/^SEARCH ledger_entries USING .*INDEX ledger_entries_unsealed \(program_id=\?\)$/),
  );
  expect(plan.filter((step) => /^SCAN ledger_entries/.test(step))).toEqual([]);
});

test.each([
  ['the summary', () => findSummary(db, { workspaceIds: [1], ids: null })],
  ['the status of a program', () => findProgramHealth(db, 1, 0)],
])('%s counts pending commissions by index', async (_name, read) => {
  await read();
  const steps = plan.filter((step) => step.includes(' commissions '));
  expect(steps).toEqual([
    expect.stringMatching(
      /^SEARCH commissions USING COVERING INDEX commissions_by_status\w* \(program_id=\? AND status=\?\)$/,
    ),
  ]);
});

test("listModelChanges reads only the program's own updates, by index", async () => {
  await listModelChanges(db, 1);
  expect(plan).toEqual(['SEARCH audit_log USING INDEX audit_log_program_updates (program_id=?)']);
});

test('findFirstDay reads the totals in the order of the index, so that it stops at the first day', async () => {
  await findFirstDay(db, 1, 2);
  expect(plan).toEqual([
    'SEARCH daily_totals USING INDEX sqlite_autoindex_daily_totals_1 (program_id=? AND partner_id=?)',
  ]);
});

test('findClickIdOfCustomer reads only the customer, by index', async () => {
  await findClickIdOfCustomer(db, 1, 'click_id', 'clk_1');
  await findClickIdOfCustomer(db, 1, 'customer_key', 'user_1');
  expect(plan).toEqual([
    expect.stringMatching(/^SEARCH customers USING .*\(program_id=\? AND click_id=\?\)$/),
    'SEARCH customers USING INDEX customers_by_key (program_id=? AND customer_key=?)',
  ]);
});
