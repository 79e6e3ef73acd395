import pg from 'pg';

/**
 * How connections reach Postgres. `session`: directly, or through a pooler in session mode. `transaction`:
 * through a pooler that may give each transaction another server connection.
 */
export type PostgresPooler = 'session' | 'transaction';

/**
 * Settings that override the server's configuration. The idle timeout releases the locks of a client that has
 * disappeared. Sequential scans, hash joins and merge joins are disabled. Otherwise, a plan that was cached while the
 * tables were small could still use them after the tables have grown. Without these scans and joins, a batch also locks
 * its rows in the order of its parameters.
 */
const SETTINGS = [
  'synchronous_commit = on',
  "idle_in_transaction_session_timeout = '30s'",
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
];

/** Applies the settings to a connection. */
export const SESSION_SETTINGS: string = [
  "SET default_transaction_isolation = 'read committed'",
  ...SETTINGS.map((setting) => `SET ${setting}`),
].join('; ');

/** Applies the settings to one transaction. A pooler would give the settings of a connection to other clients. */
export const TRANSACTION_SETTINGS: string = SETTINGS.map((setting) => `SET LOCAL ${setting}`).join('; ');

/** Codes of `invalid_sql_statement_name` and `duplicate_prepared_statement`. */
const STATEMENT_NAME_CODES: ReadonlySet<unknown> = new Set(['26000', '42P05']);

/**
 * If a prepared statement is unknown or exists already, returns an error that names the cause: a pooler has given
 * this client another server connection. Returns any other error unchanged.
 */
export function explainPooler(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError && STATEMENT_NAME_CODES.has(error.code))) return error;
  return new Error(
    'A pooler in transaction mode is between Affkit and Postgres. Set DATABASE_POOLER=transaction, or the option ' +
      "`pooler: 'transaction'` of postgresEngine",
    { cause: error },
  );
}
