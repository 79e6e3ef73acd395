import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

const accounts = [
  `CREATE TABLE users (
    id ROW_ID, email TEXT NOT NULL UNIQUE, name TEXT NOT NULL, password_hash TEXT NOT NULL, created_at INT NOT NULL)`,
  'CREATE TABLE workspaces (id ROW_ID, name TEXT NOT NULL, created_at INT NOT NULL)',
  `CREATE TABLE members (
    id ROW_ID, workspace_id INT NOT NULL REFERENCES workspaces (id), user_id INT NOT NULL REFERENCES users (id),
    role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')), created_at INT NOT NULL,
    UNIQUE (workspace_id, user_id))`,
  'CREATE INDEX members_by_user ON members (user_id)',
  `CREATE TABLE sessions (
    id TEXT PRIMARY KEY, user_id INT NOT NULL REFERENCES users (id), expires_at INT NOT NULL, created_at INT NOT NULL)`,
  'CREATE INDEX sessions_by_expiry ON sessions (expires_at)',
  `CREATE TABLE login_failures (
    id ROW_ID, email_hash TEXT NOT NULL, ip_hash TEXT NOT NULL, failed_at INT NOT NULL)`,
  'CREATE INDEX login_failures_by_ip ON login_failures (ip_hash, failed_at)',
  'CREATE INDEX login_failures_by_email ON login_failures (email_hash, failed_at)',
  `CREATE TABLE api_keys (
    id ROW_ID, workspace_id INT NOT NULL REFERENCES workspaces (id), created_by INT NOT NULL REFERENCES users (id),
    name TEXT NOT NULL, prefix TEXT NOT NULL, key_hash TEXT NOT NULL UNIQUE, key_masked TEXT NOT NULL,
    scopes TEXT NOT NULL, program_scope TEXT, expires_at INT, revoked_at INT, last_used_at INT, created_at INT NOT NULL)`,
  'CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, id)',
];

const programs = [
  `CREATE TABLE programs (
    id ROW_ID, workspace_id INT NOT NULL REFERENCES workspaces (id), name TEXT NOT NULL, slug TEXT NOT NULL UNIQUE,
    site_url TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('draft', 'live')),
    cookie_window_days INT NOT NULL CHECK (cookie_window_days BETWEEN 1 AND 365),
    attribution_model TEXT NOT NULL CHECK (attribution_model IN ('last_click', 'first_click')),
    hold_days INT NOT NULL CHECK (hold_days BETWEEN 0 AND 365), currency TEXT NOT NULL,
    allowed_origins TEXT NOT NULL, cookie_domain TEXT,
    browser_leads TEXT NOT NULL CHECK (browser_leads IN ('all', 'without_key', 'off')),
    api_token_masked TEXT NOT NULL, created_at INT NOT NULL, deleted_at INT)`,
  'CREATE INDEX programs_by_workspace ON programs (workspace_id, id)',
  `CREATE TABLE tracking_tokens (
    token_hash TEXT PRIMARY KEY, program_id INT NOT NULL UNIQUE REFERENCES programs (id), created_at INT NOT NULL)`,
  `CREATE TABLE partners (
    id ROW_ID, workspace_id INT NOT NULL REFERENCES workspaces (id), email TEXT NOT NULL, name TEXT NOT NULL,
    user_id INT REFERENCES users (id), created_at INT NOT NULL, UNIQUE (workspace_id, email))`,
  `CREATE TABLE partner_programs (
    program_id INT NOT NULL REFERENCES programs (id), id ID, partner_id INT NOT NULL REFERENCES partners (id),
    status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'banned')), created_at INT NOT NULL,
    TENANT_KEY, UNIQUE (program_id, partner_id))`,
  'CREATE INDEX partner_programs_by_partner ON partner_programs (partner_id)',
  `CREATE TABLE links (
    program_id INT NOT NULL REFERENCES programs (id), id ID, short_link TEXT NOT NULL,
    partner_id INT REFERENCES partners (id), status TEXT NOT NULL CHECK (status IN ('active', 'inactive')),
    created_at INT NOT NULL, TENANT_KEY)`,
  'CREATE INDEX links_by_partner ON links (program_id, partner_id)',
  `CREATE TABLE link_directory (
    short_link TEXT PRIMARY KEY, program_id INT NOT NULL, link_id INT NOT NULL,
    FOREIGN KEY (program_id, link_id) REFERENCES links (program_id, id))`,
  `CREATE TABLE policies (
    program_id INT NOT NULL REFERENCES programs (id), id ID, product_id TEXT, partner_id INT REFERENCES partners (id),
    version INT NOT NULL, created_at INT NOT NULL, deleted_at INT, TENANT_KEY)`,
  `CREATE UNIQUE INDEX policies_by_target ON policies (program_id, COALESCE(product_id, ''), COALESCE(partner_id, 0))
    WHERE deleted_at IS NULL`,
  `CREATE TABLE policy_versions (
    program_id INT NOT NULL, id ID, policy_id INT NOT NULL, version INT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('percent', 'flat')),
    rate_bps INT CHECK (rate_bps BETWEEN 0 AND 10000), amount_cents INT CHECK (amount_cents >= 0),
    recurring_months INT CHECK (recurring_months >= 0), created_at INT NOT NULL,
    TENANT_KEY, UNIQUE (program_id, policy_id, version),
    CHECK ((type = 'percent' AND rate_bps IS NOT NULL) OR (type = 'flat' AND amount_cents IS NOT NULL)),
    FOREIGN KEY (program_id, policy_id) REFERENCES policies (program_id, id))`,
];

const events = [
  `CREATE TABLE customers (
    program_id INT NOT NULL, id ID, click_id TEXT NOT NULL, partner_id INT, link_id INT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('click', 'lead', 'conversion')), customer_key TEXT,
    key_state TEXT CHECK (key_state IN ('claimed', 'verified')), email_hash TEXT, email_masked TEXT,
    signup_at INT, first_purchase_at INT, last_click_at INT NOT NULL, created_at INT NOT NULL,
    LEAF_KEY, UNIQUE (program_id, click_id))`,
  `CREATE UNIQUE INDEX customers_by_key ON customers (program_id, customer_key) WHERE customer_key IS NOT NULL`,
  `CREATE TABLE click_events (
    program_id INT NOT NULL, id ID, customer_id INT, link_id INT, partner_id INT, click_id TEXT NOT NULL,
    session_id TEXT, page_url TEXT, referrer_url TEXT, geo_country TEXT, geo_region TEXT, geo_city TEXT,
    device_type TEXT, device_os TEXT, browser_name TEXT, details TEXT, is_test INT NOT NULL,
    click_at INT NOT NULL, created_at INT NOT NULL, LEAF_KEY)`,
  'CREATE INDEX click_events_by_time ON click_events (program_id, is_test, click_at)',
  'CREATE INDEX click_events_by_customer ON click_events (program_id, customer_id)',
  `CREATE TABLE click_keys (
    program_id INT NOT NULL, link_id INT NOT NULL, key TEXT NOT NULL, answer TEXT NOT NULL, created_at INT NOT NULL,
    PRIMARY KEY (program_id, link_id, key))`,
  'CREATE INDEX click_keys_by_age ON click_keys (created_at)',
  `CREATE TABLE lead_events (
    program_id INT NOT NULL, id ID, customer_id INT, click_id TEXT, customer_key TEXT, session_id TEXT, page_url TEXT,
    event_name TEXT, source TEXT NOT NULL CHECK (source IN ('browser', 'server')), is_test INT NOT NULL,
    lead_at INT NOT NULL, created_at INT NOT NULL, LEAF_KEY)`,
  'CREATE INDEX lead_events_by_time ON lead_events (program_id, is_test, lead_at)',
  // A customer can become a lead only once, even if both the browser and the backend report the lead.
  `CREATE UNIQUE INDEX lead_events_by_customer ON lead_events (program_id, customer_id) WHERE customer_id IS NOT NULL`,
];

const money = [
  `CREATE TABLE sales (
    program_id INT NOT NULL, id ID, customer_id INT, partner_id INT, processor_event_id TEXT NOT NULL, click_id TEXT,
    customer_key TEXT, amount_cents INT NOT NULL CHECK (amount_cents > 0 OR is_test = 1), currency TEXT NOT NULL,
    sale_type TEXT NOT NULL CHECK (sale_type IN ('payment', 'subscription')), payment_status TEXT NOT NULL,
    is_recurring INT NOT NULL, subscription_id TEXT, subscription_interval TEXT, product_id TEXT, line_items TEXT,
    additional_data TEXT, fingerprint TEXT, no_commission_reason TEXT, is_test INT NOT NULL, sale_at INT NOT NULL,
    created_at INT NOT NULL, TENANT_KEY, UNIQUE (program_id, is_test, processor_event_id))`,
  'CREATE INDEX sales_by_time ON sales (program_id, is_test, sale_at)',
  'CREATE INDEX sales_by_customer ON sales (program_id, customer_id)',
  `CREATE TABLE transaction_directory (
    processor_event_id TEXT PRIMARY KEY, program_id INT NOT NULL, sale_id INT NOT NULL,
    FOREIGN KEY (program_id, sale_id) REFERENCES sales (program_id, id))`,
  `CREATE TABLE processor_refs (
    workspace_id INT NOT NULL, ref TEXT NOT NULL, program_id INT NOT NULL, sale_id INT NOT NULL,
    PRIMARY KEY (workspace_id, ref), FOREIGN KEY (program_id, sale_id) REFERENCES sales (program_id, id))`,
  `CREATE TABLE commissions (
    program_id INT NOT NULL, id ID, sale_id INT NOT NULL, partner_id INT NOT NULL, customer_id INT NOT NULL,
    policy_version_id INT NOT NULL, first_commission_id INT, subscription_id TEXT,
    amount_cents INT NOT NULL CHECK (amount_cents >= 0),
    deducted_cents INT NOT NULL CHECK (deducted_cents BETWEEN 0 AND amount_cents), currency TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'paid', 'rejected', 'reversed', 'refunded')),
    releasable_at INT NOT NULL, approved_at INT, rejected_at INT, payout_id INT, paid_at INT, refund_reason TEXT,
    commission_at INT NOT NULL, created_at INT NOT NULL, TENANT_KEY, UNIQUE (program_id, sale_id),
    FOREIGN KEY (program_id, sale_id) REFERENCES sales (program_id, id),
    FOREIGN KEY (program_id, policy_version_id) REFERENCES policy_versions (program_id, id))`,
  'CREATE INDEX commissions_by_partner ON commissions (program_id, partner_id, id)',
  `CREATE INDEX commissions_by_subscription ON commissions (program_id, customer_id, subscription_id)
    WHERE subscription_id IS NOT NULL`,
  `CREATE INDEX commissions_on_hold ON commissions (releasable_at) WHERE status = 'pending'`,
  `CREATE TABLE refunds (
    program_id INT NOT NULL, id ID, sale_id INT NOT NULL, commission_id INT NOT NULL, refund_amount_cents INT,
    deduction_cents INT NOT NULL CHECK (deduction_cents >= 0), reason TEXT, refund_at INT NOT NULL,
    created_at INT NOT NULL, LEAF_KEY, UNIQUE (program_id, commission_id),
    FOREIGN KEY (program_id, commission_id) REFERENCES commissions (program_id, id))`,
  `CREATE TABLE ledger_entries (
    program_id INT NOT NULL, id ID, scope TEXT NOT NULL CHECK (scope IN ('partner_program', 'partner')),
    partner_id INT NOT NULL, currency TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('commission', 'deduction', 'clamp', 'adjustment', 'payout')),
    debit_account TEXT NOT NULL, credit_account TEXT NOT NULL CHECK (credit_account <> debit_account),
    amount_cents INT NOT NULL CHECK (amount_cents > 0), commission_id INT, refund_id INT, created_at INT NOT NULL,
    LEAF_KEY)`,
  'CREATE INDEX ledger_entries_by_partner ON ledger_entries (program_id, partner_id, id)',
  `CREATE TABLE balances (
    program_id INT NOT NULL, partner_id INT NOT NULL, currency TEXT NOT NULL, balance_cents INT NOT NULL,
    PRIMARY KEY (program_id, partner_id, currency))`,
];

const derived = [
  `CREATE TABLE counters (
    program_id INT NOT NULL, subject TEXT NOT NULL, subject_id INT NOT NULL, measure TEXT NOT NULL, slot INT NOT NULL,
    value INT NOT NULL, last_at INT NOT NULL, PRIMARY KEY (program_id, subject, subject_id, measure, slot))`,
  `CREATE TABLE daily_totals (
    program_id INT NOT NULL, partner_id INT NOT NULL, day INT NOT NULL, measure TEXT NOT NULL, slot INT NOT NULL,
    value INT NOT NULL, PRIMARY KEY (program_id, partner_id, day, measure, slot))`,
  `CREATE TABLE trace_notes (
    program_id INT NOT NULL, id ID, customer_id INT, sale_id INT, reason TEXT NOT NULL, detail TEXT,
    created_at INT NOT NULL, LEAF_KEY)`,
  'CREATE INDEX trace_notes_by_customer ON trace_notes (program_id, customer_id)',
  `CREATE TABLE notifications (
    id ROW_ID, workspace_id INT NOT NULL, program_id INT NOT NULL, partner_id INT, kind TEXT NOT NULL,
    dedupe_key TEXT NOT NULL UNIQUE, payload TEXT NOT NULL, read_at INT, created_at INT NOT NULL)`,
  'CREATE INDEX notifications_by_workspace ON notifications (workspace_id, partner_id, id)',
  `CREATE TABLE outbox (
    id ROW_ID, program_id INT NOT NULL, kind TEXT NOT NULL, subject_id INT NOT NULL, payload TEXT NOT NULL,
    attempts INT NOT NULL, run_at INT NOT NULL, last_error TEXT, created_at INT NOT NULL,
    UNIQUE (program_id, kind, subject_id))`,
  'CREATE INDEX outbox_by_time ON outbox (run_at)',
];

/**
 * Creates the tables of accounts, programs, tracked events, and money. Also creates the tables for the effects of
 * events: totals, trace notes, notifications, and the outbox.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [...accounts, ...programs, ...events, ...money, ...derived]);
}
