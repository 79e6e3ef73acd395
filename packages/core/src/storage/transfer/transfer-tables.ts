import { sql } from 'kysely';
import type { Schema } from '../database/schema.ts';
import { REAL_EVENTS, type TransferTable, table, unchanged } from './transfer-table.ts';

const IN_BALANCE = sql`('partner_payable', 'payout_clearing')`;

/**
 * The tables that contain the rows of a program. An import stores them in this order, so that each row refers only to
 * earlier rows. The table `programs` is not in the list, because the import stores the program's own row first.
 */
export const TRANSFER_TABLES: readonly TransferTable[] = [
  table({
    name: 'partners',
    columns: { id: 'partners', ...unchanged('email', 'name', 'created_at') },
    owners: ['workspace_id'],
    omitted: { user_id: null },
    // A partner that exists already keeps its name and the time of its creation.
    volatile: ['name', 'created_at'],
    source: ({ programId }) =>
      sql`(SELECT p.* FROM partners AS p JOIN partner_programs AS e ON e.partner_id = p.id
        WHERE e.program_id = ${programId})`,
  }),
  table({
    name: 'partner_programs',
    columns: {
      id: 'partner_programs',
      partner_id: 'partners',
      ...unchanged('status', 'status_reason', 'min_payout_cents', 'created_at'),
    },
  }),
  table({
    name: 'applications',
    columns: {
      partner_id: 'partners',
      ...unchanged('answers', 'invitation_code', 'approved_by', 'applied_at', 'email_confirmed_at'),
    },
    passes: [{ order: ['partner_id'] }],
  }),
  table({
    name: 'program_pages',
    columns: unchanged(
      ...['is_published', 'description', 'terms', 'logo', 'accent_color', 'questions', 'embed_origins'],
      ...['auto_approve_domains', 'invitation_codes'],
    ),
    passes: [{ order: ['program_id'] }],
  }),
  table({
    name: 'links',
    columns: {
      id: 'links',
      partner_id: 'partners',
      ...unchanged('short_link', 'status', 'landing_path', 'sub_id', 'created_at'),
    },
  }),
  table({
    name: 'link_directory',
    columns: { short_link: 'unchanged', link_id: 'links' },
    passes: [{ order: ['short_link'] }],
  }),
  table({
    name: 'policies',
    columns: {
      id: 'policies',
      partner_id: 'partners',
      ...unchanged('product_id', 'version', 'created_at', 'deleted_at'),
    },
  }),
  table({
    name: 'policy_versions',
    columns: {
      id: 'policy_versions',
      policy_id: 'policies',
      ...unchanged('version', 'type', 'rate_bps', 'amount_cents', 'recurring_months', 'created_at'),
    },
  }),
  table({
    name: 'customers',
    columns: {
      id: 'customers',
      partner_id: 'partners',
      link_id: 'links',
      ...unchanged('click_id', 'status', 'customer_key', 'key_state', 'email_hash', 'email_masked'),
      ...unchanged('signup_at', 'first_purchase_at', 'last_click_at', 'created_at'),
    },
  }),
  table({
    name: 'click_events',
    columns: {
      id: 'click_events',
      customer_id: 'customers',
      link_id: 'links',
      partner_id: 'partners',
      ...unchanged('click_id', 'session_id', 'sub_id', 'page_url', 'referrer_url', 'geo_country'),
      ...unchanged('geo_region', 'geo_city', 'device_type', 'device_os', 'browser_name', 'details'),
      ...unchanged('is_test', 'click_at', 'created_at'),
    },
    passes: REAL_EVENTS,
  }),
  table({
    name: 'lead_events',
    columns: {
      id: 'lead_events',
      customer_id: 'customers',
      partner_id: 'partners',
      ...unchanged('click_id', 'customer_key', 'session_id', 'page_url', 'event_name', 'source'),
      ...unchanged('is_test', 'lead_at', 'created_at'),
    },
    passes: REAL_EVENTS,
  }),
  table({
    name: 'sales',
    columns: {
      id: 'sales',
      customer_id: 'customers',
      partner_id: 'partners',
      ...unchanged('processor_event_id', 'click_id', 'customer_key', 'amount_cents', 'currency', 'sale_type'),
      ...unchanged(
        'payment_status',
        'is_recurring',
        'subscription_id',
        'subscription_interval',
        'product_id',
      ),
      ...unchanged('line_items', 'additional_data', 'fingerprint', 'no_commission_reason', 'window_days'),
      ...unchanged('tax_cents', 'shipping_cents', 'base_cents', 'min_sale_cents', 'is_test', 'sale_at'),
      ...unchanged('created_at'),
    },
    passes: REAL_EVENTS,
  }),
  table({
    name: 'processor_refs',
    columns: { ref: 'unchanged', sale_id: 'sales' },
    owners: ['workspace_id', 'program_id'],
    passes: [{ order: ['ref'] }],
    source: ({ programId, workspaceId }) =>
      sql`(SELECT r.* FROM processor_refs AS r JOIN sales AS s ON s.program_id = r.program_id AND s.id = r.sale_id
        WHERE r.workspace_id = ${workspaceId} AND r.program_id = ${programId} AND s.is_test = 0)`,
  }),
  table({
    name: 'processor_ties',
    columns: unchanged('ref', 'other', 'used_at'),
    owners: ['workspace_id'],
    volatile: ['used_at'],
    passes: [{ order: ['ref', 'other'] }],
    source: ({ programId, workspaceId }) => {
      const refs = sql`(SELECT ref FROM processor_refs WHERE workspace_id = ${workspaceId} AND program_id = ${programId})`;
      return sql`(SELECT * FROM processor_ties WHERE workspace_id = ${workspaceId}
        AND (ref IN ${refs} OR other IN ${refs}))`;
    },
  }),
  table({
    name: 'processor_charges',
    columns: {
      sale_id: 'sales',
      ...unchanged('charge', 'currency', 'refunded_cents', 'is_whole', 'reason', 'refunded_at', 'parked_at'),
    },
    owners: ['workspace_id', 'program_id'],
    omitted: { check_at: null },
    passes: [{ order: ['charge'], where: sql`sale_id IS NOT NULL` }],
  }),
  table({
    name: 'processor_refunds',
    columns: unchanged('refund', 'charge', 'currency', 'amount_cents', 'is_failed'),
    owners: ['workspace_id'],
    passes: [{ order: ['refund'] }],
    source: ({ programId, workspaceId }) =>
      sql`(SELECT r.* FROM processor_refunds AS r
        JOIN processor_charges AS c ON c.workspace_id = r.workspace_id AND c.charge = r.charge
        WHERE c.workspace_id = ${workspaceId} AND c.program_id = ${programId} AND c.sale_id IS NOT NULL)`,
  }),
  table({
    name: 'processor_disputes',
    columns: {
      sale_id: 'sales',
      ...unchanged('dispute', 'charge', 'state', 'applied_state', 'amount_cents', 'currency', 'reason'),
      ...unchanged('reported_at', 'parked_at'),
    },
    owners: ['workspace_id', 'program_id'],
    omitted: { check_at: null },
    passes: [{ order: ['dispute'], where: sql`sale_id IS NOT NULL` }],
  }),
  table({
    name: 'payouts',
    columns: {
      id: 'payouts',
      partner_id: 'partners',
      ...unchanged(
        'currency',
        'status',
        'amount_cents',
        'reference',
        'chain_position',
        'created_at',
        'paid_at',
      ),
      ...unchanged('cancelled_at'),
    },
    omitted: { chain_hash: null, batch_id: null, sealed_payee: null },
  }),
  table({
    name: 'payout_batches',
    columns: {
      id: 'payout_batches',
      ...unchanged('channel', 'currency', 'program_name', 'created_at', 'closed_at', 'downloaded_at'),
      ...unchanged('cancelled_at'),
    },
    omitted: { sealed_debtor: null, creator_kind: 'system', creator_id: null },
  }),
  table({
    name: 'payout_batch_items',
    columns: {
      batch_id: 'payout_batches',
      payout_id: 'payouts',
      partner_id: 'partners',
      ...unchanged(
        'partner_name',
        'status',
        'amount_cents',
        'withheld_cents',
        'reason',
        'reference',
        'closed_at',
      ),
    },
    omitted: { sealed_details: '' },
    passes: [{ order: ['batch_id', 'payout_id'] }],
  }),
  table({
    name: 'payout_settings',
    columns: unchanged('min_payout_cents', 'schedule_day', 'scheduled_at'),
    omitted: { sealed_debtor: null },
    passes: [{ order: ['program_id'] }],
  }),
  table({
    name: 'payout_runs',
    columns: { id: 'payout_runs', ...unchanged('month', 'status', 'totals', 'created_at', 'decided_at') },
    omitted: { decided_by: null },
  }),
  table({
    name: 'commissions',
    columns: {
      id: 'commissions',
      sale_id: 'sales',
      partner_id: 'partners',
      customer_id: 'customers',
      policy_version_id: 'policy_versions',
      parts: 'parts',
      first_commission_id: 'commissions',
      payout_id: 'payouts',
      ...unchanged(
        'subscription_id',
        'amount_cents',
        'deducted_cents',
        'currency',
        'status',
        'releasable_at',
      ),
      ...unchanged('needs_approval', 'disputed', 'approved_at', 'rejected_at', 'paid_at', 'refund_reason'),
      ...unchanged('adjusted_cents', 'commission_at', 'created_at'),
    },
    // A job approves commissions when their hold ends.
    volatile: ['status', 'approved_at'],
  }),
  table({
    name: 'cancelled_payout_commissions',
    columns: { commission_id: 'commissions', payout_id: 'payouts' },
    passes: [{ order: ['commission_id', 'payout_id'] }],
  }),
  table({
    name: 'refunds',
    columns: {
      id: 'refunds',
      sale_id: 'sales',
      commission_id: 'commissions',
      ...unchanged(
        'source',
        'refund_id',
        'refund_amount_cents',
        'applied_cents',
        'lost_cents',
        'deduction_cents',
        'status',
      ),
      ...unchanged('reason', 'refund_at', 'created_at'),
    },
  }),
  table({
    name: 'kept_refunds',
    columns: {
      id: 'kept_refunds',
      sale_id: 'sales',
      ...unchanged('refund_id', 'refund_amount_cents', 'reason', 'refund_at', 'created_at'),
    },
  }),
  table({
    name: 'adjustments',
    columns: {
      id: 'adjustments',
      commission_id: 'commissions',
      ...unchanged('amount_cents', 'reason', 'idempotency_key', 'created_at'),
    },
  }),
  table({
    name: 'trace_notes',
    columns: {
      id: 'trace_notes',
      customer_id: 'customers',
      sale_id: 'sales',
      ...unchanged('reason', 'detail', 'created_at'),
    },
  }),
  table({
    name: 'counters',
    columns: { subject_id: 'counted', ...unchanged('subject', 'measure', 'value', 'last_at') },
    omitted: { slot: 0 },
    passes: [{ order: ['subject', 'subject_id', 'measure'] }],
    source: ({ programId }) =>
      sql`(SELECT subject, subject_id, measure, CAST(SUM(value) AS BIGINT) AS value, MAX(last_at) AS last_at
        FROM counters WHERE program_id = ${programId} GROUP BY subject, subject_id, measure)`,
  }),
  table({
    name: 'ledger_entries',
    columns: {
      id: 'ledger_entries',
      partner_id: 'partners',
      commission_id: 'commissions',
      refund_id: 'refunds',
      payout_id: 'payouts',
      adjustment_id: 'adjustments',
      ...unchanged('scope', 'currency', 'kind', 'debit_account', 'credit_account', 'amount_cents'),
      ...unchanged('chain_position', 'created_at'),
    },
    omitted: { chain_hash: null },
    // Entries that are not sealed yet get the next positions.
    volatile: ['chain_position'],
    passes: [
      { order: ['chain_position'], where: sql`chain_position IS NOT NULL` },
      { order: ['id'], where: sql`chain_position IS NULL` },
    ],
  }),
  table({
    name: 'ledger_sums',
    columns: { partner_id: 'partners', ...unchanged('currency', 'entries', 'balance_cents', 'paid_cents') },
    owners: [],
    passes: [{ order: ['partner_id', 'currency'] }],
    source: ({ programId }) =>
      sql`(SELECT partner_id, currency, COUNT(*) AS entries,
        CAST(SUM(CASE WHEN credit_account IN ${IN_BALANCE} THEN amount_cents ELSE 0 END
          - CASE WHEN debit_account IN ${IN_BALANCE} THEN amount_cents ELSE 0 END) AS BIGINT) AS balance_cents,
        CAST(SUM(CASE WHEN credit_account = 'payout_paid' THEN amount_cents ELSE 0 END) AS BIGINT) AS paid_cents
        FROM ledger_entries WHERE program_id = ${programId} AND scope = 'partner_program'
        GROUP BY partner_id, currency)`,
    isDerived: true,
  }),
];

/** The columns of the program itself. The tracking token is not exported. */
export const PROGRAM_COLUMNS = [
  ...['id', 'name', 'slug', 'site_url', 'status', 'cookie_window_days', 'attribution_model', 'hold_days'],
  ...['currency', 'allowed_origins', 'cookie_domain', 'browser_leads', 'claimed_keys', 'require_origin'],
  ...['min_sale_cents', 'commission_base', 'created_at', 'deleted_at'],
] as const satisfies readonly (keyof Schema['programs'])[];
