import type { Generated } from 'kysely';
import type { CustomerStatus } from '../../domain/attribution.ts';
import type { TransactionIdScope } from '../../domain/transaction-id.ts';
import type { VisitColumns } from './click-columns.ts';
import type {
  ApiKeyTable,
  AuditTable,
  EmailOptOutTable,
  EmailScheduleTable,
  EmailTable,
  IdentityTable,
  InviteTable,
  LoginFailureTable,
  MemberTable,
  NotificationTable,
  OneTimeCodeTable,
  SessionTable,
  UserTable,
  WorkspaceTable,
} from './schema-accounts.ts';
import type {
  AdjustmentTable,
  BalanceTable,
  CancelledPayoutCommissionTable,
  ChainTestTable,
  CommissionTable,
  CommissionTotalTable,
  HeldTotalTable,
  KeptRefundTable,
  LedgerChainTable,
  LedgerEntryTable,
  PayoutBatchItemTable,
  PayoutBatchTable,
  PayoutRunTable,
  PayoutSettingsTable,
  PayoutTable,
  PayoutTransferTable,
  RefundTable,
} from './schema-money.ts';
import type {
  PendingPaymentTable,
  ProcessorChargeTable,
  ProcessorConnectionTable,
  ProcessorDisputeTable,
  ProcessorEventRefTable,
  ProcessorEventTable,
  ProcessorRefundTable,
  ProcessorTieTable,
} from './schema-processor.ts';
import type {
  ApplicationTable,
  BulkRequestTable,
  BulkResultTable,
  LinkDirectoryTable,
  LinkTable,
  PartnerProgramTable,
  PartnerTable,
  PayoutDetailsTable,
  PolicyTable,
  PolicyVersionTable,
  ProgramPageTable,
  ProgramShardTable,
  ProgramTable,
  TrackingTokenTable,
} from './schema-programs.ts';
import type { InstallationTable, RemovedMonthTable } from './schema-retention.ts';
import type { ShardCommitMarkerTable, ShardStatementTable } from './schema-shards.ts';
import type {
  BreakdownProgressTable,
  BreakdownTable,
  CounterTable,
  DailyTotalTable,
  Flag,
  LinkClickProgressTable,
  LinkClickTable,
  LinkTotalProgressTable,
  LinkTotalTable,
  PeriodTotalTable,
} from './schema-totals.ts';
import type { ProgramImportPartnerTable, ProgramImportTable } from './schema-transfer.ts';
import type {
  WebhookAttemptTable,
  WebhookDeliveryTable,
  WebhookEndpointTable,
  WebhookEventTable,
} from './schema-webhooks.ts';

export type { DailyMeasure } from './schema-totals.ts';

/**
 * The tables, which are the same on both engines. Times are epoch milliseconds, and days are UTC days since
 * the epoch. Money is in the smallest unit of its currency. Flags are 0 or 1. JSON is stored as text.
 */
export interface Schema {
  users: UserTable;
  workspaces: WorkspaceTable;
  members: MemberTable;
  invites: InviteTable;
  identities: IdentityTable;
  sessions: SessionTable;
  one_time_codes: OneTimeCodeTable;
  login_failures: LoginFailureTable;
  emails: EmailTable;
  email_opt_outs: EmailOptOutTable;
  email_schedules: EmailScheduleTable;
  api_keys: ApiKeyTable;
  programs: ProgramTable;
  program_shards: ProgramShardTable;
  tracking_tokens: TrackingTokenTable;
  partners: PartnerTable;
  payout_details: PayoutDetailsTable;
  partner_programs: PartnerProgramTable;
  applications: ApplicationTable;
  program_pages: ProgramPageTable;
  links: LinkTable;
  link_directory: LinkDirectoryTable;
  policies: PolicyTable;
  policy_versions: PolicyVersionTable;
  customers: CustomerTable;
  click_events: ClickEventTable;
  click_keys: ClickKeyTable;
  removed_months: RemovedMonthTable;
  installation: InstallationTable;
  lead_events: LeadEventTable;
  sales: SaleTable;
  transaction_directory: TransactionDirectoryTable;
  processor_refs: ProcessorRefTable;
  processor_connections: ProcessorConnectionTable;
  processor_events: ProcessorEventTable;
  processor_event_refs: ProcessorEventRefTable;
  processor_ties: ProcessorTieTable;
  processor_charges: ProcessorChargeTable;
  processor_refunds: ProcessorRefundTable;
  processor_disputes: ProcessorDisputeTable;
  pending_payments: PendingPaymentTable;
  commissions: CommissionTable;
  commission_totals: CommissionTotalTable;
  held_totals: HeldTotalTable;
  refunds: RefundTable;
  kept_refunds: KeptRefundTable;
  test_refunds: TestRefundTable;
  adjustments: AdjustmentTable;
  payouts: PayoutTable;
  payout_batches: PayoutBatchTable;
  payout_batch_items: PayoutBatchItemTable;
  payout_transfers: PayoutTransferTable;
  payout_settings: PayoutSettingsTable;
  payout_runs: PayoutRunTable;
  cancelled_payout_commissions: CancelledPayoutCommissionTable;
  bulk_requests: BulkRequestTable;
  bulk_results: BulkResultTable;
  ledger_entries: LedgerEntryTable;
  ledger_chains: LedgerChainTable;
  balances: BalanceTable;
  counters: CounterTable;
  daily_totals: DailyTotalTable;
  period_totals: PeriodTotalTable;
  trace_notes: TraceNoteTable;
  refusals: RefusalTable;
  breakdowns: BreakdownTable;
  breakdown_progress: BreakdownProgressTable;
  link_clicks: LinkClickTable;
  link_click_progress: LinkClickProgressTable;
  link_totals: LinkTotalTable;
  link_total_progress: LinkTotalProgressTable;
  notifications: NotificationTable;
  audit_log: AuditTable;
  chain_tests: ChainTestTable;
  webhook_endpoints: WebhookEndpointTable;
  webhook_events: WebhookEventTable;
  webhook_deliveries: WebhookDeliveryTable;
  webhook_attempts: WebhookAttemptTable;
  program_imports: ProgramImportTable;
  program_import_partners: ProgramImportPartnerTable;
  outbox: OutboxTable;
  commit_markers: CommitMarkerTable;
  shard_commit_markers: ShardCommitMarkerTable;
  shard_statements: ShardStatementTable;
  secret_fingerprint: SecretFingerprintTable;
  service_settings: ServiceSettingTable;
}

interface CustomerTable {
  program_id: number;
  id: Generated<number>;
  click_id: string;
  partner_id: number | null;
  link_id: number;
  status: CustomerStatus;
  customer_key: string | null;
  /** `claimed` when a browser set the key, `verified` when a caller with the tracking token set it. */
  key_state: 'claimed' | 'verified' | null;
  email_hash: string | null;
  email_masked: string | null;
  signup_at: number | null;
  first_purchase_at: number | null;
  /** When the customer last clicked a link of their partner. */
  last_click_at: number;
  created_at: number;
}

interface ClickEventTable extends VisitColumns {
  program_id: number;
  id: Generated<number>;
  /** Null for a test event. */
  customer_id: number | null;
  link_id: number | null;
  partner_id: number | null;
  click_id: string;
  is_test: Flag;
  click_at: number;
  created_at: number;
}

/**
 * The first response to a click with an idempotency key. It is replayed when a click with the same key
 * arrives.
 */
interface ClickKeyTable {
  program_id: number;
  link_id: number;
  key: string;
  answer: string;
  created_at: number;
}

interface LeadEventTable {
  program_id: number;
  id: Generated<number>;
  customer_id: number | null;
  /** The partner of the customer. Null for a test event. */
  partner_id: number | null;
  click_id: string | null;
  customer_key: string | null;
  session_id: string | null;
  page_url: string | null;
  event_name: string | null;
  source: 'browser' | 'server';
  is_test: Flag;
  lead_at: number;
  created_at: number;
}

export type NoCommissionReason = 'window_expired' | 'recurring_ended' | 'below_min_sale' | 'zero_amount';

interface SaleTable {
  program_id: number;
  id: Generated<number>;
  customer_id: number | null;
  partner_id: number | null;
  processor_event_id: string;
  click_id: string | null;
  customer_key: string | null;
  amount_cents: number;
  currency: string;
  sale_type: 'payment' | 'subscription';
  payment_status: string;
  is_recurring: Flag;
  subscription_id: string | null;
  subscription_interval: string | null;
  product_id: string | null;
  line_items: string | null;
  additional_data: string | null;
  /** The SHA-256 of the request's content, to check whether a repeated request has the same content. */
  fingerprint: string | null;
  no_commission_reason: NoCommissionReason | null;
  /**
   * The program's attribution window when the sale was recorded. Null for test sales, and for sales from
   * versions without this column.
   */
  window_days: number | null;
  tax_cents: number | null;
  shipping_cents: number | null;
  /**
   * The part of the amount from which the commission is computed. Null for the same sales as `window_days`.
   */
  base_cents: number | null;
  /** The program's minimum sale amount when the sale was recorded. Null for the same sales as `window_days`. */
  min_sale_cents: number | null;
  is_test: Flag;
  sale_at: number;
  created_at: number;
}

/**
 * Maps each transaction id to its first sale in the whole service. Test sales are not included. If the setting
 * `transaction_ids` is `workspace`, later sales of other workspaces may have the same id.
 */
interface TransactionDirectoryTable {
  processor_event_id: string;
  program_id: number;
  sale_id: number;
}

/** All ids of a sale's payment, including the transaction id. Each id is unique within a workspace. */
interface ProcessorRefTable {
  workspace_id: number;
  ref: string;
  program_id: number;
  sale_id: number;
}

/** The reason for a decision about a customer or sale. Stored only if no other row shows the reason. */
interface TraceNoteTable {
  program_id: number;
  id: Generated<number>;
  customer_id: number | null;
  sale_id: number | null;
  reason: string;
  detail: string | null;
  created_at: number;
}

/** A rejected tracking call. Only the latest calls of each program are kept. */
interface RefusalTable {
  program_id: number;
  id: Generated<number>;
  route: 'click' | 'lead' | 'sale' | 'refund';
  code: string;
  reason: string;
  request_id: string;
  has_token: Flag;
  /** Selected fields of the request as JSON, without personal data. */
  body: string;
  /** The texts of the other columns in lower case, for searches. */
  search_text: string;
  refused_at: number;
}

/** A refund in test mode. It is stored, but changes no commission or total. */
interface TestRefundTable {
  program_id: number;
  id: Generated<number>;
  /** The sale in test mode. It may have been deleted. */
  sale_id: number;
  /** Unique per sale. Null when the refund was reported without an id. */
  refund_id: string | null;
  /** Null when the whole remaining amount of the sale was refunded. */
  refund_amount_cents: number | null;
  reason: string | null;
  is_test: 1;
  refund_at: number;
  created_at: number;
}

export type OutboxKind =
  | 'make_commission'
  | 'decide_renewals'
  | 'repair_totals'
  | 'notify_refund'
  | 'notify_rejection'
  | 'notify_adjustment'
  | 'notify_payout';

/** A task to run after an event is stored. The first process that locks the row runs the task. */
interface OutboxTable {
  id: Generated<number>;
  program_id: number;
  kind: OutboxKind;
  /** The id of the row that caused the task. For `repair_totals`, the day to repair. Unique per program and kind. */
  subject_id: number;
  payload: string;
  attempts: number;
  run_at: number;
  last_error: string | null;
  created_at: number;
}

/** One row per commit within the last hour. Used only on Postgres. */
interface CommitMarkerTable {
  id: string;
  created_at: number;
}

/** Has at most one row. */
interface SecretFingerprintTable {
  id: number;
  fingerprint: string;
}

/** A setting that must be the same in all processes that use the database. */
interface ServiceSettingTable {
  name: 'transaction_ids';
  value: TransactionIdScope;
}
