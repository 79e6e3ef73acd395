import pg from 'pg';
import { explainFullDisk } from './disk-full.ts';
import type { Answer } from './postgres-dialect.ts';
import { ConnectionLost } from './transient.ts';

/** A connection that writes. When it breaks it stays broken: a new one must be opened. */
export class Session {
  readonly #client: pg.Client;
  readonly #pipelines: boolean;
  #isLost = false;
  #depth = 0;
  #transactions = 0;
  #isGathering = false;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(client: pg.Client, pipelines: boolean) {
    this.#client = client;
    this.#pipelines = pipelines;
    client.on('error', () => {
      this.#isLost = true;
    });
    client.on('end', () => {
      this.#isLost = true;
    });
  }

  /**
   * @param pipelines send statements without waiting for the answers to those before
   * @throws the driver's error when there is no connection to be had
   */
  static async open(config: pg.ClientConfig, pipelines: boolean): Promise<Session> {
    const client = new pg.Client({ ...config, pipeline: pipelines });
    const session = new Session(client, pipelines);
    try {
      await client.connect();
      await client.query(pipelines ? `${SETTINGS}; ${KEEP_PLANS}` : SETTINGS);
    } catch (error) {
      session.discard();
      throw error;
    }
    return session;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /**
   * To be asked once for each transaction. A kept plan fits the size that its tables had: those of a new database take
   * whichever index comes first, until Postgres looks at the tables by itself. So plans are made anew after 8, 16, 32 …
   */
  isTimeToPlan(): boolean {
    this.#transactions += 1;
    return this.#transactions >= FIRST_PLANS && Number.isInteger(Math.log2(this.#transactions));
  }

  /** Is a step under way that may be undone alone? */
  get isInSavepoint(): boolean {
    return this.#depth > 0;
  }

  /**
   * Runs a statement behind those asked for before.
   * @throws ConnectionLost when the connection broke
   */
  async query(statement: string | pg.QueryConfig<unknown[]>): Promise<Answer> {
    if (this.#pipelines && this.#depth === 0) return await this.#send(statement);
    const sent = this.#last.then(() => this.#send(statement));
    this.#last = sent.catch(() => {});
    return await sent;
  }

  /** Runs `step` so that its failure undoes `step` alone. Its statements are not pipelined. */
  async savepoint<T>(step: () => Promise<T>): Promise<T> {
    this.#depth += 1;
    try {
      await this.query('SAVEPOINT work');
      try {
        const result = await step();
        await this.query('RELEASE work');
        return result;
      } catch (error) {
        // Where this fails, the connection is lost: that says more than what the step met.
        await this.query('ROLLBACK TO work');
        await this.query('RELEASE work');
        throw error;
      }
    } finally {
      this.#depth -= 1;
    }
  }

  /** Ends the transaction; a connection that can't do so is given up. */
  async rollback(): Promise<void> {
    try {
      await this.query('ROLLBACK');
    } catch {
      this.discard();
    }
  }

  /** Gives the connection up without waiting for the server. */
  discard(): void {
    this.#isLost = true;
    this.#client.connection.stream.destroy();
  }

  async close(): Promise<void> {
    if (this.#isLost) return;
    await this.#client.end();
  }

  /** Has what is asked for before this turn is over go out in one write, which wakes the server once. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }

  async #send(statement: string | pg.QueryConfig<unknown[]>): Promise<Answer> {
    this.#gather();
    try {
      return await this.#client.query(statement);
    } catch (error) {
      if (isStalePlan(error) || isUnanswered(error)) this.discard();
      if (!this.#isLost) throw explainFullDisk(error, 'the Postgres server');
      throw new ConnectionLost('The connection to Postgres broke', { cause: error });
    }
  }
}

const FIRST_PLANS = 8;

/**
 * What must hold whatever the server's own settings are. A session left alone by a client that is gone must not keep its
 * locks. Writes go by index always: plans are kept from when the tables were small.
 */
const SETTINGS = `SET synchronous_commit = on; SET default_transaction_isolation = 'read committed';
  SET idle_in_transaction_session_timeout = '30s';
  SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`;

/**
 * For the few statements of batches that are pipelined: to plan one anew for each list takes longer than to run it. Not
 * for all: a kept plan takes no index that is for one value of a parameter alone.
 */
const KEEP_PLANS = 'SET plan_cache_mode = force_generic_plan';

/**
 * A statement that was prepared before another process changed its table: it fails on this connection for ever,
 * and works on a new one.
 */
export function isStalePlan(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
  );
}

/** The driver's `query_timeout`: the server may be at work on the statement still. */
function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}
