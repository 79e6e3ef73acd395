import type pg from 'pg';
import { Unavailable } from '../../../rejection.ts';
import type { StatementResult } from './postgres-dialect.ts';
import type { PostgresSession } from './postgres-session.ts';
import { ConnectionLost, mayHaveExecuted } from './transient.ts';

export interface TransactionAttempt<T> {
  /** The value that the body returned. */
  readonly result: T;
  /** False if the connection was lost during the commit, so that the outcome is unknown. */
  readonly isOutcomeKnown: boolean;
  /** The program whose shard stores the commit marker. Null if the marker is in `commit_markers`. */
  readonly markerProgramId: number | null;
}

type Statement = pg.QueryConfig<unknown[]>;

const SELECT_PATTERN = /^\s*select\s/i;

/**
 * One attempt to run a transaction. BEGIN is sent when the body runs its first statement. If the whole transaction is a
 * single statement, neither BEGIN nor COMMIT is sent.
 */
export class PostgresTransaction {
  readonly #session: PostgresSession;
  readonly #marker: string;
  readonly #begin: () => Promise<void>;
  #begun: Promise<void> | undefined;
  /** Sends the single statement that is the whole transaction. */
  #sendSingleStatement: (() => Promise<unknown>) | undefined;
  #markerProgramId: number | null = null;
  #hasWritten = false;
  /** The results of statements that the body has not waited for. */
  #deferredResults: Promise<unknown>[] = [];

  /**
   * @param marker the id of the transaction's commit marker
   * @param begin sends BEGIN and stores the marker
   */
  constructor(session: PostgresSession, marker: string, begin: () => Promise<void>) {
    this.#session = session;
    this.#marker = marker;
    this.#begin = begin;
  }

  get hasBegun(): boolean {
    return this.#begun !== undefined || this.#sendSingleStatement !== undefined;
  }

  /** Runs `body`, then commits if `body` has written anything. */
  async attempt<T>(body: () => Promise<T>): Promise<TransactionAttempt<T>> {
    try {
      return await this.#run(body);
    } finally {
      // Release the batch. If V8 has moved this object to the old generation, the references would delay
      // the garbage collection of later batches.
      this.#sendSingleStatement = undefined;
      this.#begun = undefined;
      this.#deferredResults = [];
    }
  }

  async #run<T>(body: () => Promise<T>): Promise<TransactionAttempt<T>> {
    let result: T;
    try {
      result = await body();
      if (!this.#hasWritten) await this.#begun;
      // A statement that follows the single statement is rejected without being sent. Throw its error here,
      // because the commit does not report it.
      if (this.#sendSingleStatement) await Promise.all(this.#deferredResults);
    } catch (error) {
      await Promise.allSettled(this.#deferredResults);
      throw this.#begun ? await this.#rollback(error) : error;
    }
    if (this.#session.isLost) throw connectionLost();
    if (this.#hasWritten || this.#sendSingleStatement) {
      return { result, isOutcomeKnown: await this.#commit(), markerProgramId: this.#markerProgramId };
    }
    if (this.#begun) await this.#session.rollback();
    return { result, isOutcomeKnown: true, markerProgramId: null };
  }

  /**
   * Runs a statement. A SELECT is sent together with BEGIN. A write is sent only after BEGIN has succeeded,
   * because a write outside of a transaction would be committed immediately.
   */
  async run(statement: Statement, text: string): Promise<StatementResult> {
    const begun = this.#beginOnce();
    if (!SELECT_PATTERN.test(text)) {
      await begun;
      this.#hasWritten = true;
    }
    return await this.#session.query(statement);
  }

  /** Sends only this statement as the whole transaction, after the body has returned; see `ClickSession`. */
  runSingleStatement(
    createStatement: (marker: string) => Statement,
    explain: (error: unknown) => unknown,
    markerProgramId: number | null,
  ): void {
    if (this.hasBegun) throw new Error('The transaction has already begun');
    const statement = createStatement(this.#marker);
    this.#markerProgramId = markerProgramId;
    this.#sendSingleStatement = async () => {
      if (this.#session.shouldDiscardPlans()) this.#session.query('DISCARD PLANS').catch(() => {});
      try {
        return await this.#session.query(statement);
      } catch (error) {
        throw explain(error);
      }
    };
  }

  /**
   * Allows COMMIT to be sent before these results have arrived. If one of the statements fails, the commit
   * fails with the statement's error. In a savepoint, the call waits for the results instead.
   */
  async deferToCommit(results: Promise<unknown>): Promise<void> {
    if (this.#session.isInSavepoint) await results;
    else {
      results.catch(() => {});
      this.#deferredResults.push(results);
    }
  }

  async savepoint<T>(step: () => Promise<T>): Promise<T> {
    await this.#beginOnce();
    return await this.#session.savepoint(step);
  }

  #beginOnce(): Promise<void> {
    if (this.#sendSingleStatement) {
      throw new Error('This transaction consists of a single statement, so it cannot run another statement');
    }
    if (!this.#begun) {
      this.#begun = this.#begin();
      this.#begun.catch(() => {});
    }
    return this.#begun;
  }

  /**
   * @returns true if the transaction was committed, false if the connection was lost and the outcome is
   * unknown
   * @throws the reason why the transaction was rolled back
   */
  async #commit(): Promise<boolean> {
    const committing = this.#sendSingleStatement
      ? this.#sendSingleStatement().then(() => COMMITTED)
      : this.#session.query('COMMIT');
    const [commit] = await Promise.allSettled([committing, ...this.#deferredResults]);
    if (commit.status === 'rejected') {
      const cause = await this.#rollback(commit.reason);
      // While the connection works, an error means that the server has rejected the commit.
      if (this.#session.isLost) return false;
      // A worker commits a single statement by itself, so the statement may be stored even if the worker was then
      // lost. A retry could store its clicks twice. To find out whether they are stored, the lane would have to wait
      // for the worker.
      if (this.#markerProgramId !== null && mayHaveExecuted(cause))
        throw new Unavailable(WORKER_LOST, { cause });
      throw cause;
    }
    // After a failed statement, COMMIT does not fail, but Postgres replies with the command tag ROLLBACK.
    if (commit.value.command === COMMITTED.command) return true;
    await Promise.all(this.#deferredResults);
    throw new Error('The transaction was rolled back because one of its statements failed');
  }

  /**
   * Rolls back a failed transaction.
   * @returns the error to report. If BEGIN failed, it is the error of BEGIN, because later errors do not show
   * the cause.
   */
  async #rollback(error: unknown): Promise<unknown> {
    let cause = error;
    await this.#begun?.catch((reason: unknown) => {
      cause = reason;
    });
    await this.#session.rollback();
    return this.#session.isLost ? connectionLost(cause) : cause;
  }
}

const COMMITTED = { command: 'COMMIT' };
const WORKER_LOST = 'A worker of the Citus cluster was lost while it stored clicks';

function connectionLost(cause?: unknown): ConnectionLost {
  return cause instanceof ConnectionLost
    ? cause
    : new ConnectionLost('The connection to Postgres was lost', { cause });
}
