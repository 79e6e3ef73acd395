import type pg from 'pg';
import type { Answer } from './postgres-dialect.ts';
import type { Session } from './postgres-session.ts';
import { ConnectionLost } from './transient.ts';

/** The body's result; `isKnown` is false where the connection broke while the commit was under way. */
export interface Attempt<T> {
  readonly result: T;
  readonly isKnown: boolean;
}

type Statement = pg.QueryConfig<unknown[]>;

const READS = /^\s*select\s/i;

/** One try of a transaction: it begins when something is first asked of it, unless one statement is all of it. */
export class PostgresTransaction {
  readonly #session: Session;
  readonly #marker: string;
  readonly #begin: () => Promise<void>;
  #begun: Promise<void> | undefined;
  /** Sends the statement that is all of it. */
  #whole: (() => Promise<unknown>) | undefined;
  #hasWritten = false;
  /** Statements whose answers the body did not wait for. */
  #unanswered: Promise<unknown>[] = [];

  /**
   * @param marker stored by it
   * @param begin begins the transaction and stores the marker
   */
  constructor(session: Session, marker: string, begin: () => Promise<void>) {
    this.#session = session;
    this.#marker = marker;
    this.#begin = begin;
  }

  get hasBegun(): boolean {
    return this.#begun !== undefined || this.#whole !== undefined;
  }

  /** Runs the body, then commits what it has written, if anything. */
  async attempt<T>(body: () => Promise<T>): Promise<Attempt<T>> {
    try {
      return await this.#run(body);
    } finally {
      // What is over holds on to no batch: else one that has grown old keeps those after it from being collected early.
      this.#whole = undefined;
      this.#begun = undefined;
      this.#unanswered = [];
    }
  }

  async #run<T>(body: () => Promise<T>): Promise<Attempt<T>> {
    let result: T;
    try {
      result = await body();
      if (!this.#hasWritten) await this.#begun;
      // Nothing of these was sent: it would not fail with them.
      if (this.#whole) await Promise.all(this.#unanswered);
    } catch (error) {
      await Promise.allSettled(this.#unanswered);
      throw this.#begun ? await this.#giveUp(error) : error;
    }
    if (this.#session.isLost) throw lost();
    if (this.#hasWritten || this.#whole) return { result, isKnown: await this.#commit() };
    if (this.#begun) await this.#session.rollback();
    return { result, isKnown: true };
  }

  /** Runs a statement. A read goes out with the beginning; a write waits for it, else it would be stored at once. */
  async run(statement: Statement, text: string): Promise<Answer> {
    const begun = this.#beginOnce();
    if (!READS.test(text)) {
      await begun;
      this.#hasWritten = true;
    }
    return await this.#session.query(statement);
  }

  /** Has the statement go out when the body is over, see `ClickSession`. */
  runWhole(statementOf: (marker: string) => Statement, explain: (error: unknown) => unknown): void {
    if (this.hasBegun) throw new Error('The transaction has begun already');
    const statement = statementOf(this.#marker);
    this.#whole = async () => {
      if (this.#session.isTimeToPlan()) this.#session.query('DISCARD PLANS').catch(() => {});
      try {
        return await this.#session.query(statement);
      } catch (error) {
        throw explain(error);
      }
    };
  }

  /** Has the commit follow statements whose answers nobody needs: it fails where one of them does. */
  async leaveToCommit(answers: Promise<unknown>): Promise<void> {
    if (this.#session.isInSavepoint) await answers;
    else {
      answers.catch(() => {});
      this.#unanswered.push(answers);
    }
  }

  async savepoint<T>(step: () => Promise<T>): Promise<T> {
    await this.#beginOnce();
    return await this.#session.savepoint(step);
  }

  #beginOnce(): Promise<void> {
    if (this.#whole) throw new Error('One statement is all of the transaction');
    if (!this.#begun) {
      this.#begun = this.#begin();
      this.#begun.catch(() => {});
    }
    return this.#begun;
  }

  /** @returns whether it is known that it was committed */
  async #commit(): Promise<boolean> {
    const answer = this.#whole ? this.#whole().then(() => COMMITTED) : this.#session.query('COMMIT');
    const [commit] = await Promise.allSettled([answer, ...this.#unanswered]);
    if (commit.status === 'rejected') {
      // A server that still answers has refused the commit; of one that is gone nothing is known.
      const cause = await this.#giveUp(commit.reason);
      if (this.#session.isLost) return false;
      throw cause;
    }
    // After a statement that failed, Postgres answers COMMIT with success, and rolls back.
    if (commit.value.command === COMMITTED.command) return true;
    await Promise.all(this.#unanswered);
    throw new Error('The transaction was rolled back, because a statement had failed in it');
  }

  /** Ends a transaction that failed. @returns why: where it failed to begin, every statement fails, and none says why */
  async #giveUp(error: unknown): Promise<unknown> {
    let cause = error;
    await this.#begun?.catch((reason: unknown) => {
      cause = reason;
    });
    await this.#session.rollback();
    return this.#session.isLost ? lost(cause) : cause;
  }
}

const COMMITTED = { command: 'COMMIT' };

function lost(cause?: unknown): ConnectionLost {
  return cause instanceof ConnectionLost
    ? cause
    : new ConnectionLost('The connection to Postgres broke', { cause });
}
