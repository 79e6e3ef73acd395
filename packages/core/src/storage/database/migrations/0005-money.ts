import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

const payouts = [
  `CREATE TABLE payouts (
    program_id INT NOT NULL REFERENCES programs (id), id ID, partner_id INT NOT NULL REFERENCES partners (id),
    currency TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('pending', 'paid', 'cancelled')),
    amount_cents INT NOT NULL CHECK (amount_cents >= 0), reference TEXT, chain_position INT, chain_hash TEXT,
    created_at INT NOT NULL, paid_at INT, cancelled_at INT, TENANT_KEY)`,
  'CREATE INDEX payouts_by_partner ON payouts (program_id, partner_id, id)',
  `CREATE INDEX payouts_pending ON payouts (program_id, partner_id) WHERE status = 'pending'`,
  'CREATE INDEX commissions_by_payout ON commissions (program_id, payout_id) WHERE payout_id IS NOT NULL',
  `CREATE INDEX commissions_unpaid ON commissions (program_id, partner_id, currency)
    WHERE payout_id IS NULL AND rejected_at IS NULL`,
];

const adjustments = [
  'ALTER TABLE commissions ADD COLUMN adjusted_cents INT NOT NULL DEFAULT 0',
  `CREATE TABLE adjustments (
    program_id INT NOT NULL, id ID, commission_id INT NOT NULL, amount_cents INT NOT NULL CHECK (amount_cents <> 0),
    reason TEXT NOT NULL, idempotency_key TEXT, created_at INT NOT NULL, LEAF_KEY,
    UNIQUE (program_id, commission_id, idempotency_key),
    FOREIGN KEY (program_id, commission_id) REFERENCES commissions (program_id, id))`,
];

const chain = [
  'ALTER TABLE ledger_entries ADD COLUMN payout_id INT',
  'ALTER TABLE ledger_entries ADD COLUMN adjustment_id INT',
  'ALTER TABLE ledger_entries ADD COLUMN chain_position INT',
  'ALTER TABLE ledger_entries ADD COLUMN chain_hash TEXT',
  'CREATE INDEX ledger_entries_by_commission ON ledger_entries (program_id, commission_id)',
  'CREATE INDEX ledger_entries_by_payout ON ledger_entries (program_id, payout_id) WHERE payout_id IS NOT NULL',
  'CREATE INDEX ledger_entries_unsealed ON ledger_entries (program_id, id) WHERE chain_position IS NULL',
  `CREATE UNIQUE INDEX ledger_entries_in_chain ON ledger_entries (program_id, chain_position)
    WHERE chain_position IS NOT NULL`,
  `CREATE TABLE ledger_chains (
    program_id INT PRIMARY KEY REFERENCES programs (id), position INT NOT NULL, hash TEXT NOT NULL)`,
];

const trace = [
  'CREATE INDEX trace_notes_by_detail ON trace_notes (program_id, detail) WHERE detail IS NOT NULL',
];

/**
 * The columns of a ledger entry that can never be changed. The columns of the chain are excluded, because they are
 * set once, when the entry is sealed.
 */
const IMMUTABLE_COLUMNS = `program_id, id, scope, partner_id, currency, kind, debit_account, credit_account, amount_cents, commission_id,
  refund_id, payout_id, adjustment_id, created_at`;

const appendOnlyOnSqlite = [
  `CREATE TRIGGER ledger_entries_are_kept BEFORE DELETE ON ledger_entries
    BEGIN SELECT RAISE(ABORT, 'ledger entries are never deleted'); END`,
  // REPLACE removes rows without running DELETE triggers.
  `CREATE TRIGGER ledger_entries_are_not_replaced BEFORE INSERT ON ledger_entries
    WHEN EXISTS (SELECT 1 FROM ledger_entries WHERE id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'ledger entries are never replaced'); END`,
  `CREATE TRIGGER ledger_entries_are_final BEFORE UPDATE OF ${IMMUTABLE_COLUMNS} ON ledger_entries
    BEGIN SELECT RAISE(ABORT, 'ledger entries are never changed'); END`,
  `CREATE TRIGGER ledger_entries_are_sealed_once BEFORE UPDATE OF chain_position, chain_hash ON ledger_entries
    WHEN OLD.chain_position IS NOT NULL BEGIN SELECT RAISE(ABORT, 'ledger entries are sealed once'); END`,
];

const appendOnlyOnPostgres = [
  `CREATE FUNCTION affkit_refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'ledger entries are never changed or deleted'; END $$`,
  `CREATE TRIGGER ledger_entries_are_kept BEFORE DELETE ON ledger_entries
    FOR EACH ROW EXECUTE FUNCTION affkit_refuse_ledger_change()`,
  `CREATE TRIGGER ledger_entries_are_kept_together BEFORE TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION affkit_refuse_ledger_change()`,
  `CREATE TRIGGER ledger_entries_are_final BEFORE UPDATE OF ${IMMUTABLE_COLUMNS} ON ledger_entries
    FOR EACH ROW EXECUTE FUNCTION affkit_refuse_ledger_change()`,
  `CREATE TRIGGER ledger_entries_are_sealed_once BEFORE UPDATE OF chain_position, chain_hash ON ledger_entries
    FOR EACH ROW WHEN (OLD.chain_position IS NOT NULL) EXECUTE FUNCTION affkit_refuse_ledger_change()`,
];

const chainTests = [
  'CREATE TABLE chain_tests (id ROW_ID, program_id INT NOT NULL REFERENCES programs (id), run_at INT NOT NULL)',
  'CREATE INDEX chain_tests_by_time ON chain_tests (program_id, run_at)',
];

/** Adds payouts and adjustments, and makes the ledger an append-only hash chain. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const appendOnly = dialect === 'sqlite' ? appendOnlyOnSqlite : appendOnlyOnPostgres;
  await runMigrationStatements(db, dialect, [
    ...payouts,
    ...adjustments,
    ...chain,
    ...appendOnly,
    ...trace,
    ...chainTests,
  ]);
}
