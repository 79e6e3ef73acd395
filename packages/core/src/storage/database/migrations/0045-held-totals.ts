import { type Kysely, sql } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

const KEY = 'program_id, partner_id, release_day, currency';
/** The columns of a commission that determine its held amount and its row in `held_totals`. */
const COLUMNS = [
  ...['program_id', 'partner_id', 'currency', 'releasable_at', 'needs_approval', 'disputed'],
  ...[
    'approved_at',
    'rejected_at',
    'payout_id',
    'paid_at',
    'amount_cents',
    'deducted_cents',
    'adjusted_cents',
  ],
];
/** The release day of commissions that become payable only when a user approves them. */
const NEVER = 2_147_483_647;

const IS_OPEN = 'payout_id IS NULL AND rejected_at IS NULL AND paid_at IS NULL AND approved_at IS NULL';

/** Selects the held amounts of the rows in `source`. @param sign -1 to subtract the amounts */
function heldAmounts(source: string, sign: 1 | -1): string {
  return `SELECT program_id, partner_id, currency,
      CASE WHEN needs_approval = 1 THEN ${NEVER} ELSE releasable_at / 86400000 END AS release_day,
      ${sign} * (amount_cents - deducted_cents + adjusted_cents) AS cents
    FROM ${source} WHERE ${IS_OPEN} AND disputed = 0`;
}

/** Adds the amounts in the order of the key, so that concurrent transactions cannot deadlock. */
function addTotals(amounts: string): string {
  return `INSERT INTO held_totals (${KEY}, cents) SELECT ${KEY}, SUM(cents) FROM (${amounts}) AS held
    WHERE 1 = 1 GROUP BY ${KEY} HAVING SUM(cents) <> 0 ORDER BY ${KEY}
    ON CONFLICT (${KEY}) DO UPDATE SET cents = held_totals.cents + excluded.cents`;
}

function rowOf(name: 'NEW' | 'OLD'): string {
  return `(SELECT ${COLUMNS.map((column) => `${name}.${column} AS ${column}`).join(', ')}) AS changed`;
}

const changeTotals = (from: string, to: string) =>
  addTotals(`${heldAmounts(from, -1)} UNION ALL ${heldAmounts(to, 1)}`);

const triggersOnSqlite = [
  `CREATE TRIGGER commissions_are_held AFTER INSERT ON commissions
    BEGIN ${addTotals(heldAmounts(rowOf('NEW'), 1))}; END`,
  `CREATE TRIGGER commissions_are_released AFTER UPDATE OF ${COLUMNS.join(', ')} ON commissions
    BEGIN ${changeTotals(rowOf('OLD'), rowOf('NEW'))}; END`,
];

const triggersOnPostgres = [
  `CREATE FUNCTION affkit_hold_commissions() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN ${addTotals(heldAmounts('changed_to', 1))}; RETURN NULL; END $$`,
  `CREATE FUNCTION affkit_release_commissions() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN ${changeTotals('changed_from', 'changed_to')}; RETURN NULL; END $$`,
  `CREATE TRIGGER commissions_are_held AFTER INSERT ON commissions REFERENCING NEW TABLE AS changed_to
    FOR EACH STATEMENT EXECUTE FUNCTION affkit_hold_commissions()`,
  `CREATE TRIGGER commissions_are_released AFTER UPDATE ON commissions
    REFERENCING OLD TABLE AS changed_from NEW TABLE AS changed_to
    FOR EACH STATEMENT EXECUTE FUNCTION affkit_release_commissions()`,
];

/**
 * Adds totals of the amounts on hold, one for each day on which holds end. Triggers keep the totals up to
 * date. The cost of computing a payable amount then no longer depends on the number of commissions on hold.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const order = dialect === 'sqlite' ? 'WITHOUT ROWID' : '';
  await runMigrationStatements(db, dialect, [
    `CREATE TABLE held_totals (
      program_id INT NOT NULL, partner_id INT NOT NULL, release_day INT NOT NULL, currency TEXT NOT NULL,
      cents INT NOT NULL, PRIMARY KEY (${KEY})) ${order}`,
    'CREATE INDEX held_totals_by_day ON held_totals (program_id, release_day)',
  ]);
  // Create the triggers first. On Postgres, this waits for running transactions that change the rows. Their changes
  // would otherwise be missing in the totals below.
  const triggers = dialect === 'sqlite' ? triggersOnSqlite : triggersOnPostgres;
  for (const trigger of triggers) await sql.raw(trigger).execute(db);
  await sql.raw(addTotals(heldAmounts('commissions', 1))).execute(db);
  await runMigrationStatements(db, dialect, [
    'DROP INDEX commissions_held',
    `CREATE INDEX commissions_held ON commissions (program_id, releasable_at, partner_id)
      WHERE ${IS_OPEN} AND disputed = 0 AND needs_approval = 0`,
  ]);
}
