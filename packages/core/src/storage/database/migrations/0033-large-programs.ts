import { type Kysely, sql } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

const KEY = 'program_id, owner, measure, owner_id, period';
const ADD = `ON CONFLICT (${KEY}) DO UPDATE SET value = period_totals.value + excluded.value`;

/**
 * Selects the daily totals that are summed up over periods. The clicks of partners come from `link_clicks`
 * instead.
 */
const isRanked = (row: string) =>
  `${row}partner_id > 0 AND ${row}measure NOT IN ('clicks', 'signups', 'first_purchases')`;

/** Selects the values that daily totals add to the totals of periods. */
const dailyTotals = (from: string) =>
  `SELECT program_id, 'partner' AS owner, measure, partner_id AS owner_id, day / 28 AS period, value FROM ${from}`;
/** Selects the clicks that `link_clicks` adds to the totals of links. @param sign -1 to subtract the clicks */
const linkClicks = (from: string, sign: 1 | -1) =>
  `SELECT program_id, 'link' AS owner, 'clicks' AS measure, link_id AS owner_id, day / 28 AS period, ${sign} * clicks AS value
    FROM ${from}`;
/**
 * Selects the clicks that `link_clicks` adds to the totals of partners. `link_clicks` contains no partner, so the
 * partner is read from `links`. The partner of a link never changes.
 */
const partnerClicks = (from: string, sign: 1 | -1) =>
  `SELECT c.program_id, 'partner', 'clicks', links.partner_id, c.day / 28, ${sign} * c.clicks FROM ${from} AS c
    JOIN links ON links.program_id = c.program_id AND links.id = c.link_id WHERE links.partner_id IS NOT NULL`;

/** Adds the rows to the totals in the order of the key, so that concurrent transactions cannot deadlock. */
function addTotals(...rows: readonly string[]): string {
  return `INSERT INTO period_totals (${KEY}, value)
    SELECT ${KEY}, SUM(value) FROM (${rows.join(' UNION ALL ')}) AS added
    WHERE 1 = 1 GROUP BY ${KEY} HAVING SUM(value) <> 0 ORDER BY ${KEY} ${ADD}`;
}

const addedClicks = (from: string) => addTotals(linkClicks(from, 1), partnerClicks(from, 1));
const changedClicks = (before: string, after: string) =>
  addTotals(
    ...[linkClicks(before, -1), partnerClicks(before, -1)],
    ...[linkClicks(after, 1), partnerClicks(after, 1)],
  );

function rowOf(name: 'NEW' | 'OLD'): string {
  const columns = ['program_id', 'link_id', 'day', 'clicks'];
  return `(SELECT ${columns.map((column) => `${name}.${column} AS ${column}`).join(', ')})`;
}

const ADD_DAILY_TOTAL = (value: string) =>
  `INSERT INTO period_totals (${KEY}, value)
    VALUES (NEW.program_id, 'partner', NEW.measure, NEW.partner_id, NEW.day / 28, ${value}) ${ADD}`;

const triggersOnSqlite = [
  `CREATE TRIGGER daily_totals_are_added AFTER INSERT ON daily_totals WHEN ${isRanked('NEW.')}
    BEGIN ${ADD_DAILY_TOTAL('NEW.value')}; END`,
  `CREATE TRIGGER daily_totals_are_changed AFTER UPDATE OF value ON daily_totals WHEN ${isRanked('NEW.')}
    BEGIN ${ADD_DAILY_TOTAL('NEW.value - OLD.value')}; END`,
  `CREATE TRIGGER link_clicks_are_added AFTER INSERT ON link_clicks BEGIN ${addedClicks(rowOf('NEW'))}; END`,
  `CREATE TRIGGER link_clicks_are_changed AFTER UPDATE OF clicks ON link_clicks
    BEGIN ${changedClicks(rowOf('OLD'), rowOf('NEW'))}; END`,
];

/**
 * The triggers on `daily_totals` run for each row, so that their condition can read the row. The condition skips the
 * totals of clicks, which change most often.
 */
const triggersOnPostgres = [
  `CREATE FUNCTION affkit_add_daily_total() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN ${ADD_DAILY_TOTAL('NEW.value')}; RETURN NULL; END $$`,
  `CREATE FUNCTION affkit_change_daily_total() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN ${ADD_DAILY_TOTAL('NEW.value - OLD.value')}; RETURN NULL; END $$`,
  `CREATE FUNCTION affkit_add_link_clicks() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN ${addedClicks('changed_to')}; RETURN NULL; END $$`,
  `CREATE FUNCTION affkit_change_link_clicks() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN ${changedClicks('changed_from', 'changed_to')}; RETURN NULL; END $$`,
  `CREATE TRIGGER daily_totals_are_added AFTER INSERT ON daily_totals
    FOR EACH ROW WHEN (${isRanked('NEW.')}) EXECUTE FUNCTION affkit_add_daily_total()`,
  `CREATE TRIGGER daily_totals_are_changed AFTER UPDATE ON daily_totals
    FOR EACH ROW WHEN (${isRanked('NEW.')}) EXECUTE FUNCTION affkit_change_daily_total()`,
  `CREATE TRIGGER link_clicks_are_added AFTER INSERT ON link_clicks REFERENCING NEW TABLE AS changed_to
    FOR EACH STATEMENT EXECUTE FUNCTION affkit_add_link_clicks()`,
  `CREATE TRIGGER link_clicks_are_changed AFTER UPDATE ON link_clicks
    REFERENCING OLD TABLE AS changed_from NEW TABLE AS changed_to
    FOR EACH STATEMENT EXECUTE FUNCTION affkit_change_link_clicks()`,
];

/**
 * Adds totals over 28 days for each partner and link. Triggers keep the totals up to date. An index finds the
 * highest totals of a period. Further indexes find unpaid commissions that a payout must not include.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const order = dialect === 'sqlite' ? 'WITHOUT ROWID' : '';
  await runMigrationStatements(db, dialect, [
    `CREATE TABLE period_totals (
      program_id INT NOT NULL, owner TEXT NOT NULL, measure TEXT NOT NULL, owner_id INT NOT NULL,
      period INT NOT NULL, value INT NOT NULL, PRIMARY KEY (${KEY})) ${order}`,
  ]);
  // Create the triggers first. On Postgres, this waits for running transactions that change the rows. Their changes
  // would otherwise be missing in the totals below.
  const triggers = dialect === 'sqlite' ? triggersOnSqlite : triggersOnPostgres;
  for (const trigger of triggers) await sql.raw(trigger).execute(db);
  const daily = dailyTotals(`daily_totals WHERE ${isRanked('')}`);
  await sql.raw(addTotals(daily)).execute(db);
  await sql.raw(addedClicks('link_clicks')).execute(db);
  await runMigrationStatements(db, dialect, [
    // Earlier versions used this index to rank partners. `period_totals_by_value` replaces it.
    'DROP INDEX daily_totals_by_day',
    'CREATE INDEX period_totals_by_value ON period_totals (program_id, owner, measure, period, value, owner_id)',
    `CREATE INDEX commissions_held ON commissions
      (program_id, partner_id, releasable_at, currency, disputed, amount_cents, deducted_cents, adjusted_cents)
      WHERE payout_id IS NULL AND rejected_at IS NULL AND paid_at IS NULL AND approved_at IS NULL`,
    `CREATE INDEX commissions_reviewed ON commissions (program_id, partner_id)
      WHERE payout_id IS NULL AND rejected_at IS NULL AND paid_at IS NULL AND approved_at IS NULL AND needs_approval = 1`,
    'CREATE INDEX commissions_disputed ON commissions (program_id, partner_id) WHERE disputed = 1',
  ]);
}
