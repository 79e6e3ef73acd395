import pg from 'pg';
import { explainFullDisk } from './disk-full.ts';
import type { StatementResult } from './postgres-dialect.ts';
import { explainPooler, type PostgresPooler, SESSION_SETTINGS } from './postgres-pooler.ts';
import { ConnectionLost } from './transient.ts';

/** A connection for write transactions. If the connection is lost, open a new session. */
export class PostgresSession {
  readonly #client: pg.Client;
  readonly #pipelining: boolean;
  readonly #pooler: PostgresPooler;
  #isLost = false;
  #isCluster = false;
  #savepointDepth = 0;
  #transactionCount = 0;
  #isCorked = false;
  /**
   * Settles when the previous statement has returned. Without pipelining, the next statement waits for it.
   */
  #previous: Promise<unknown> = Promise.resolve();

  private constructor(client: pg.Client, pipelining: boolean, pooler: PostgresPooler) {
    this.#client = client;
    this.#pipelining = pipelining;
    this.#pooler = pooler;
    client.on('error', () => {
      this.#isLost = true;
    });
    client.on('end', () => {
      this.#isLost = true;
    });
  }

  /**
   * @param pipelining whether to send statements before earlier statements have returned
   * @param pooler if it is `transaction`, no settings are applied to the session
   * @throws the driver's error when the connection fails
   */
  static async open(
    config: pg.ClientConfig,
    pipelining: boolean,
    pooler: PostgresPooler,
  ): Promise<PostgresSession> {
    const client = new pg.Client({ ...config, pipeline: pipelining });
    const session = new PostgresSession(client, pipelining, pooler);
    try {
      await client.connect();
      const statements = [
        ...(pooler === 'session' ? [SESSION_SETTINGS] : []),
        ...(pooler === 'session' && pipelining ? [CACHE_PLANS] : []),
        DETECT_CLUSTER,
      ];
      const { rows } = lastOf(await client.query(statements.join('; ')));
      session.#isCluster = rows[0]?.isCluster === true;
    } catch (error) {
      session.discard();
      throw error;
    }
    return session;
  }

  /** Whether the server is the coordinator of a Citus cluster. */
  get isCluster(): boolean {
    return this.#isCluster;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /**
   * Whether to discard cached plans before a transaction: true for the 8th, 16th, 32nd … transaction. Call this method
   * exactly once per transaction, because it counts its calls. Plans that were cached while the tables were empty may
   * use the wrong index, and Postgres keeps them until its first automatic ANALYZE. Behind a pooler in transaction
   * mode, plans are never cached.
   */
  shouldDiscardPlans(): boolean {
    if (this.#pooler === 'transaction') return false;
    this.#transactionCount += 1;
    const isPowerOfTwo = Number.isInteger(Math.log2(this.#transactionCount));
    return isPowerOfTwo && this.#transactionCount >= FIRST_DISCARD;
  }

  get isInSavepoint(): boolean {
    return this.#savepointDepth > 0;
  }

  /**
   * Runs a statement. Statements run in the order of the calls.
   * @throws ConnectionLost when the connection is lost
   */
  async query(statement: string | pg.QueryConfig<unknown[]>): Promise<StatementResult> {
    if (this.#pipelining && this.#savepointDepth === 0) return await this.#send(statement);
    const result = this.#previous.then(() => this.#send(statement));
    this.#previous = result.catch(() => {});
    return await result;
  }

  /**
   * Runs `step` in a savepoint. If `step` fails, the savepoint is rolled back. Statements in a savepoint are
   * not pipelined.
   */
  async savepoint<T>(step: () => Promise<T>): Promise<T> {
    this.#savepointDepth += 1;
    try {
      await this.query('SAVEPOINT work');
      try {
        const result = await step();
        await this.query('RELEASE work');
        return result;
      } catch (error) {
        // If the rollback fails, the connection is lost. The caller then gets the error of the rollback, which is more
        // useful than the error of the step.
        await this.query('ROLLBACK TO work');
        await this.query('RELEASE work');
        throw error;
      }
    } finally {
      this.#savepointDepth -= 1;
    }
  }

  /** Rolls back the transaction. Discards the connection if that fails. */
  async rollback(): Promise<void> {
    try {
      await this.query('ROLLBACK');
    } catch {
      this.discard();
    }
  }

  /** Closes the connection without waiting for the server. */
  discard(): void {
    this.#isLost = true;
    this.#client.connection.stream.destroy();
  }

  async close(): Promise<void> {
    if (this.#isLost) return;
    await this.#client.end();
  }

  /**
   * Combines all statements that are sent before the next tick into one socket write, so that the server wakes up only
   * once.
   */
  #corkUntilNextTick(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  async #send(statement: string | pg.QueryConfig<unknown[]>): Promise<StatementResult> {
    this.#corkUntilNextTick();
    try {
      return await this.#client.query(statement);
    } catch (error) {
      if (isStalePlan(error) || isReadTimeout(error)) this.discard();
      if (!this.#isLost) throw explainFullDisk(explainPooler(error), 'the Postgres server');
      throw new ConnectionLost('The connection to Postgres was lost', { cause: error });
    }
  }
}

/** The driver returns an array of results for a query with several statements. */
function lastOf(results: pg.QueryResult | pg.QueryResult[]): pg.QueryResult<{ isCluster?: boolean }> {
  const last = Array.isArray(results) ? results.at(-1) : results;
  if (!last) throw new Error('The connection was not set up');
  return last;
}

const FIRST_DISCARD = 8;

/**
 * Forces generic plans, for connections that pipeline a few batch statements. Planning such a statement for each list
 * of parameters takes longer than running it. Other connections must not force generic plans, because a generic plan
 * cannot use a partial index whose condition depends on a parameter. Citus cannot plan some statements without the
 * values of their parameters. On a cluster, the server therefore chooses the kind of plan itself.
 */
const CACHE_PLANS = `SELECT set_config('plan_cache_mode',
  CASE WHEN to_regclass('pg_dist_partition') IS NULL THEN 'force_generic_plan' ELSE 'auto' END, false)`;

const DETECT_CLUSTER = `SELECT to_regclass('pg_dist_partition') IS NOT NULL AS "isCluster"`;

/**
 * Whether a statement failed because its table was altered after the statement was prepared. On this
 * connection, the statement will always fail. It will succeed on a new connection.
 */
export function isStalePlan(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
  );
}

/** Whether the driver's `query_timeout` has expired. The server may still be running the statement. */
function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}
