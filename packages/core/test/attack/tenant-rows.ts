import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import type { Tenant } from './tenant.ts';

/** Tables without rows of a tenant. */
const SHARED = new Set([
  'affkit_migrations',
  'login_failures',
  'commit_markers',
  'installation',
  'rate_limits',
  'removed_months',
  'secret_fingerprint',
  'service_settings',
  'shard_statements',
]);

/**
 * Tables whose rows can change without a credential: through clicks, leads from browsers, logins, and jobs that
 * update totals.
 */
export const PUBLIC_TABLES: ReadonlySet<string> = new Set([
  'breakdown_progress',
  'breakdowns',
  'click_events',
  'click_keys',
  'counters',
  'customers',
  'daily_totals',
  'lead_events',
  'link_click_progress',
  'link_clicks',
  'link_total_progress',
  'link_totals',
  'period_totals',
  'refusals',
  'sessions',
  'trace_notes',
]);

type Digests = Readonly<Record<string, string>>;

/**
 * Returns a digest of a tenant's rows for each table.
 * @throws Error when a table outside of `SHARED` has no column that names the tenant
 */
export async function digestRows(
  { read }: Pick<Engine, 'read'>,
  tenant: Tenant,
  skipped: ReadonlySet<string> = new Set(),
): Promise<Digests> {
  const digests: Record<string, string> = {};
  for (const { name, columns } of await read.introspection.getTables()) {
    // Skips partitions, because reading the table `click_events` already returns their rows.
    if (SHARED.has(name) || skipped.has(name) || name.startsWith('click_events_')) continue;
    const filter = filterOf(name, new Set(columns.map((column) => column.name)), tenant);
    const { rows } = await sql`SELECT * FROM ${sql.table(name)} WHERE ${filter}`.execute(read);
    const lines = rows.map((row) => JSON.stringify(row)).sort();
    digests[name] = createHash('sha256').update(lines.join('\n')).digest('hex');
  }
  return digests;
}

function filterOf(table: string, columns: ReadonlySet<string>, tenant: Tenant): RawBuilder<unknown> {
  const { workspaceId, userIds } = tenant;
  const programs = sql`SELECT id FROM programs WHERE workspace_id = ${workspaceId}`;
  if (table === 'workspaces') return sql`id = ${workspaceId}`;
  if (table === 'users') return sql`id IN (${sql.join(userIds)})`;
  if (table === 'balances') {
    // A partner's balance over all programs has no program id, but a partner id.
    const partners = sql`SELECT id FROM partners WHERE workspace_id = ${workspaceId}`;
    return sql`program_id IN (${programs}) OR partner_id IN (${partners})`;
  }
  const endpoints = sql`SELECT id FROM webhook_endpoints WHERE workspace_id = ${workspaceId}`;
  if (table === 'webhook_deliveries') return sql`endpoint_id IN (${endpoints})`;
  if (table === 'webhook_attempts') {
    return sql`delivery_id IN (SELECT id FROM webhook_deliveries WHERE endpoint_id IN (${endpoints}))`;
  }
  if (table === 'email_opt_outs') {
    return sql`recipient IN (SELECT email FROM users WHERE id IN (${sql.join(userIds)}))`;
  }
  if (table === 'email_schedules') {
    return sql`(kind = 'review_digest' AND owner_id = ${workspaceId})
      OR (kind = 'monthly_summary' AND owner_id IN (${programs}))`;
  }
  if (table === 'program_import_partners') {
    return sql`import_id IN (SELECT id FROM program_imports WHERE workspace_id = ${workspaceId})`;
  }
  if (columns.has('workspace_id')) return sql`workspace_id = ${workspaceId}`;
  if (columns.has('program_id')) return sql`program_id IN (${programs})`;
  if (columns.has('user_id')) return sql`user_id IN (${sql.join(userIds)})`;
  throw new Error(
    `${table} has no column that names a tenant. If its rows belong to no tenant, add it to SHARED.`,
  );
}

/** Returns the tables in which the two digests differ. */
export function changedTables(before: Digests, after: Digests): string[] {
  return Object.keys(after).filter((table) => before[table] !== after[table]);
}
