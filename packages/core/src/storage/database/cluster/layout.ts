import type { Schema } from '../schema.ts';

/**
 * Where the rows of a table are on a Citus cluster:
 *
 * - `distributed`: on the worker that owns the value of `column`. Tables whose `column` is `program_id` are
 *   co-located, so that a statement about one program runs on one worker.
 * - `reference`: a copy on each server. Every write changes all copies.
 * - `local`: only on the coordinator, unknown to Citus.
 * - `managed`: only on the coordinator, but known to Citus. A transaction that writes such a table and a table on a
 *   worker therefore commits in two phases. With a `local` table, Citus would not notice the write and would skip the
 *   two phases. If the coordinator then crashed, the worker's part could be committed and the local part lost.
 */
export type Placement =
  | { readonly kind: 'distributed'; readonly column: string }
  | { readonly kind: 'reference' | 'local' | 'managed' };

export type TableLayout = Placement & {
  /** Why the table has this placement. */
  readonly reason: string;
};

const distributedByProgram = (reason: string): TableLayout => ({
  kind: 'distributed',
  column: 'program_id',
  reason,
});
const local = (reason: string): TableLayout => ({ kind: 'local', reason });

const EVENT_REASON = 'an event of the program';
const RULE_REASON = 'read with the events and sales of its program';
const MONEY_REASON = 'changes in the same transaction as the sales of its program';
const TOTAL_REASON = 'a sum of the rows of its program, written with them or by a trigger on their worker';
const BULK_REASON = 'written by one request about one program';
const ACCOUNT_REASON = 'belongs to a user or workspace, and is not needed to record an event';
const DIRECTORY_REASON = 'unique in the whole service, and read before the program is known';
const PROCESSOR_REASON = 'belongs to a workspace, and is found by an id of the payment processor';
const QUEUE_REASON = 'read by jobs in the order of time over all programs, with SKIP LOCKED';

/**
 * The layout of every table. `affkit cluster init` and migrations establish it, and the server compares it with
 * the database when it starts. To add a table, see "Citus" in CONTRIBUTING.md.
 */
export const LAYOUT: Readonly<Record<keyof Schema | 'affkit_migrations' | 'rate_limits', TableLayout>> = {
  // This table is distributed first. Citus co-locates the other tables with it.
  customers: distributedByProgram('found by the click id or customer key of an event of the program'),
  click_events: distributedByProgram(EVENT_REASON),
  click_keys: distributedByProgram('stored with the click'),
  lead_events: distributedByProgram(EVENT_REASON),
  sales: distributedByProgram(EVENT_REASON),
  test_refunds: distributedByProgram(EVENT_REASON),
  refusals: distributedByProgram('a rejected event of the program'),
  trace_notes: distributedByProgram('stored with the event that it explains'),

  shard_commit_markers: distributedByProgram(
    'a row carries a batch of visits to the shard of their programs, and is the commit marker of the batch',
  ),

  program_shards: distributedByProgram(
    'one row for each program, so that jobs can find programs on all workers',
  ),
  partner_programs: distributedByProgram(RULE_REASON),
  applications: distributedByProgram('belongs to a partner in the program'),
  program_pages: distributedByProgram('one row for each program'),
  links: distributedByProgram(RULE_REASON),
  policies: distributedByProgram(RULE_REASON),
  policy_versions: distributedByProgram(RULE_REASON),

  commissions: distributedByProgram(MONEY_REASON),
  refunds: distributedByProgram(MONEY_REASON),
  kept_refunds: distributedByProgram(MONEY_REASON),
  adjustments: distributedByProgram(MONEY_REASON),
  payouts: distributedByProgram(MONEY_REASON),
  payout_batches: distributedByProgram(MONEY_REASON),
  payout_batch_items: distributedByProgram(MONEY_REASON),
  cancelled_payout_commissions: distributedByProgram(MONEY_REASON),
  ledger_entries: distributedByProgram(MONEY_REASON),
  ledger_chains: distributedByProgram(MONEY_REASON),
  balances: distributedByProgram(
    `${MONEY_REASON}. The balances over all programs have the program id 0, so that they share a shard`,
  ),

  counters: distributedByProgram(TOTAL_REASON),
  daily_totals: distributedByProgram(TOTAL_REASON),
  period_totals: distributedByProgram(TOTAL_REASON),
  commission_totals: distributedByProgram(TOTAL_REASON),
  held_totals: distributedByProgram(TOTAL_REASON),
  breakdowns: distributedByProgram(TOTAL_REASON),
  breakdown_progress: distributedByProgram(TOTAL_REASON),
  link_clicks: distributedByProgram(TOTAL_REASON),
  link_click_progress: distributedByProgram(TOTAL_REASON),
  link_totals: distributedByProgram(TOTAL_REASON),
  link_total_progress: distributedByProgram(TOTAL_REASON),

  bulk_requests: distributedByProgram(BULK_REASON),
  bulk_results: distributedByProgram(BULK_REASON),

  programs: { kind: 'reference', reason: 'joined with nearly every distributed table, and rarely written' },
  partners: {
    kind: 'reference',
    reason: 'a partner belongs to a workspace, and is joined with rows of its programs',
  },

  removed_months: { kind: 'reference', reason: 'read in statements that count clicks, and rarely written' },
  shard_statements: { kind: 'reference', reason: 'run on every worker, and written once per version' },

  commit_markers: {
    kind: 'managed',
    reason: 'written by each transaction, so that the transaction commits in two phases',
  },

  link_directory: local(DIRECTORY_REASON),
  tracking_tokens: local(DIRECTORY_REASON),
  transaction_directory: local(DIRECTORY_REASON),

  outbox: local(QUEUE_REASON),
  payout_transfers: local(QUEUE_REASON),
  payout_runs: local(QUEUE_REASON),
  payout_settings: local('one row for each program, read by the monthly job over all programs'),
  emails: local(QUEUE_REASON),
  pending_payments: local(QUEUE_REASON),
  webhook_endpoints: local('a few rows for each program, read by the job that sends their events'),
  webhook_events: local(QUEUE_REASON),
  webhook_deliveries: local(QUEUE_REASON),
  webhook_attempts: local('the log of deliveries, found by their id'),

  processor_connections: local(PROCESSOR_REASON),
  processor_events: local(PROCESSOR_REASON),
  processor_event_refs: local(PROCESSOR_REASON),
  processor_refs: local(PROCESSOR_REASON),
  processor_ties: local(PROCESSOR_REASON),
  processor_charges: local(PROCESSOR_REASON),
  processor_refunds: local(PROCESSOR_REASON),
  processor_disputes: local(PROCESSOR_REASON),

  users: local(ACCOUNT_REASON),
  workspaces: local(ACCOUNT_REASON),
  members: local(ACCOUNT_REASON),
  invites: local(ACCOUNT_REASON),
  identities: local(ACCOUNT_REASON),
  sessions: local(ACCOUNT_REASON),
  one_time_codes: local(ACCOUNT_REASON),
  login_failures: local(ACCOUNT_REASON),
  email_opt_outs: local(ACCOUNT_REASON),
  email_schedules: local(ACCOUNT_REASON),
  api_keys: local(ACCOUNT_REASON),
  payout_details: local('belongs to a partner, and is read when a payout is sent'),
  program_imports: local(
    'a few rows, read by the command line, the partner portal, and webhooks about payments',
  ),
  program_import_partners: local('read with the import to which it belongs'),
  notifications: local(ACCOUNT_REASON),
  audit_log: local(ACCOUNT_REASON),
  installation: local('has one row'),
  rate_limits: local('written by servers for all programs together'),
  chain_tests: local('a few rows for each program, read only to limit its chain tests'),

  secret_fingerprint: local('one row'),
  service_settings: local('a few rows'),
  affkit_migrations: local('one row for each migration'),
};

/** The table with which Citus co-locates all tables of a program. */
export const ANCHOR = 'customers';

/** Returns the layout of a table, or undefined if the table is unknown. */
export function layoutOf(table: string): TableLayout | undefined {
  return Object.hasOwn(LAYOUT, table) ? LAYOUT[table as keyof typeof LAYOUT] : undefined;
}

export function describePlacement(placement: Placement): string {
  return placement.kind === 'distributed' ? `distributed by ${placement.column}` : placement.kind;
}

export function isSamePlacement(a: Placement, b: Placement): boolean {
  return describePlacement(a) === describePlacement(b);
}

/**
 * Whether Postgres can enforce a foreign key from one table of the cluster to another. A distributed table can refer
 * to a reference table, whose rows are on every worker. It can also refer to a distributed table if both tables are
 * distributed by program, because all rows of a program are on one worker. Any other table can refer only to a table
 * whose placement is of the same kind.
 */
export function canReference(from: Placement, to: Placement): boolean {
  if (from.kind === 'distributed') {
    return to.kind === 'reference' || (isOfProgram(from) && isOfProgram(to));
  }
  return from.kind === to.kind;
}

function isOfProgram(placement: Placement): boolean {
  return placement.kind === 'distributed' && placement.column === 'program_id';
}
