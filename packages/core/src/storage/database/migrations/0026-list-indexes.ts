import { type Kysely, sql } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** The columns that `commission_totals` sums. */
const SUMS = ['amount_cents', 'deducted_cents', 'adjusted_cents'] as const;
const KEY = 'program_id, partner_id, day, status, currency';
const COLUMNS = `${KEY}, commissions, ${SUMS.join(', ')}`;

const ON_CONFLICT = `ON CONFLICT (${KEY}) DO UPDATE SET
  commissions = commission_totals.commissions + excluded.commissions,
  ${SUMS.map((sum) => `${sum} = commission_totals.${sum} + excluded.${sum}`).join(', ')}`;

/** Selects the amounts that the rows in `source` add to the totals. @param sign -1 to subtract the amounts */
function deltasOf(source: string, sign: 1 | -1): string {
  const sums = SUMS.map((sum) => `${sign} * ${sum} AS ${sum}`).join(', ');
  return `SELECT program_id, partner_id, commission_at / 86400000 AS day, status, currency, ${sign} AS commissions, ${sums}
    FROM ${source}`;
}

/**
 * Adds the deltas to the totals of the partner and of the whole program. In the program's totals, `partner_id` is
 * 0.
 */
function addTotals(deltas: string): string {
  const sums = ['commissions', ...SUMS].map((sum) => `SUM(${sum})`);
  return `INSERT INTO commission_totals (${COLUMNS})
    SELECT program_id, partner_id * is_partner, day, status, currency, ${sums.join(', ')}
    FROM (${deltas}) AS deltas CROSS JOIN (SELECT 1 AS is_partner UNION ALL SELECT 0) AS owners
    WHERE 1 = 1 GROUP BY 1, 2, 3, 4, 5 HAVING ${sums.map((sum) => `${sum} <> 0`).join(' OR ')}
    ORDER BY 1, 2, 3, 4, 5 ${ON_CONFLICT}`;
}

function rowOf(name: 'NEW' | 'OLD'): string {
  const columns = ['program_id', 'partner_id', 'commission_at', 'status', 'currency', ...SUMS];
  return `(SELECT ${columns.map((column) => `${name}.${column} AS ${column}`).join(', ')}) AS changed`;
}

const triggersOnSqlite = [
  `CREATE TRIGGER commissions_are_counted AFTER INSERT ON commissions
    BEGIN ${addTotals(deltasOf(rowOf('NEW'), 1))}; END`,
  `CREATE TRIGGER commissions_are_recounted AFTER UPDATE OF status, ${SUMS.join(', ')} ON commissions
    BEGIN ${addTotals(`${deltasOf(rowOf('OLD'), -1)} UNION ALL ${deltasOf(rowOf('NEW'), 1)}`)}; END`,
];

const triggersOnPostgres = [
  `CREATE FUNCTION affkit_count_commissions() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN ${addTotals(deltasOf('changed_to', 1))}; RETURN NULL; END $$`,
  `CREATE FUNCTION affkit_recount_commissions() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN ${addTotals(`${deltasOf('changed_from', -1)} UNION ALL ${deltasOf('changed_to', 1)}`)}; RETURN NULL; END $$`,
  `CREATE TRIGGER commissions_are_counted AFTER INSERT ON commissions REFERENCING NEW TABLE AS changed_to
    FOR EACH STATEMENT EXECUTE FUNCTION affkit_count_commissions()`,
  `CREATE TRIGGER commissions_are_recounted AFTER UPDATE ON commissions
    REFERENCING OLD TABLE AS changed_from NEW TABLE AS changed_to
    FOR EACH STATEMENT EXECUTE FUNCTION affkit_recount_commissions()`,
];

/**
 * Adds totals of commissions. Triggers keep the totals up to date. Adds indexes for the filters, searches, and
 * sort orders of lists. Also adds the partner of a lead. It is the partner of the lead's customer, and does
 * not change after the lead.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const lower = (column: string) => `lower(${column}${dialect === 'postgres' ? ' COLLATE "C"' : ''})`;
  await runMigrationStatements(db, dialect, [
    `CREATE TABLE commission_totals (
      program_id INT NOT NULL, partner_id INT NOT NULL, day INT NOT NULL, status TEXT NOT NULL,
      currency TEXT NOT NULL, commissions INT NOT NULL,
      ${SUMS.map((sum) => `${sum} INT NOT NULL`).join(', ')}, PRIMARY KEY (${KEY}))`,
    'ALTER TABLE lead_events ADD COLUMN partner_id INT',
  ]);
  await sql.raw(addTotals(deltasOf('commissions', 1))).execute(db);
  await sql
    .raw(
      `UPDATE lead_events SET partner_id = (SELECT partner_id FROM customers
        WHERE customers.program_id = lead_events.program_id AND customers.id = lead_events.customer_id)
      WHERE customer_id IS NOT NULL`,
    )
    .execute(db);
  const triggers = dialect === 'sqlite' ? triggersOnSqlite : triggersOnPostgres;
  for (const trigger of triggers) await sql.raw(trigger).execute(db);
  await runMigrationStatements(db, dialect, [
    // `commissions_by_status` replaces this index.
    'DROP INDEX commissions_pending',
    'CREATE INDEX commissions_by_status ON commissions (program_id, status, commission_at, id)',
    'CREATE INDEX commissions_by_partner_and_time ON commissions (program_id, partner_id, commission_at, id)',
    'CREATE INDEX commissions_by_amount ON commissions (program_id, amount_cents, id)',
    'CREATE INDEX commissions_by_status_and_amount ON commissions (program_id, status, amount_cents, id)',
    `CREATE INDEX click_events_by_partner ON click_events (program_id, partner_id, click_at, id, link_id)
      WHERE is_test = 0`,
    'CREATE INDEX lead_events_by_partner ON lead_events (program_id, partner_id, lead_at, id) WHERE is_test = 0',
    'CREATE INDEX sales_by_partner ON sales (program_id, partner_id, sale_at, id) WHERE is_test = 0',
    `CREATE INDEX daily_totals_by_day ON daily_totals (program_id, measure, day, partner_id)
      WHERE partner_id > 0 AND measure <> 'clicks'`,
    'CREATE INDEX partner_programs_by_status ON partner_programs (program_id, status, id)',
    `CREATE INDEX notifications_unread ON notifications (workspace_id, partner_id, id) WHERE read_at IS NULL`,
    `CREATE INDEX audit_log_by_time ON audit_log
      (workspace_id, created_at, action, subject_kind, subject_id, actor_kind, actor_id)`,
    `CREATE INDEX sales_by_prefix ON sales (program_id, ${lower('processor_event_id')})
      WHERE is_test = 0`,
    `CREATE INDEX customers_by_key_prefix ON customers (program_id, ${lower('customer_key')})
      WHERE customer_key IS NOT NULL`,
  ]);
}
