import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { PostgresClickStore } from '../clicks-postgres.ts';
import type { Schema } from '../schema.ts';
import { OutcomeUnknown, type Transaction } from './engine.ts';
import type { Writer } from './lane.ts';
import type { Connector } from './postgres-connector.ts';
import { type Answer, postgresKysely, type StatementNames, toQueryResult } from './postgres-dialect.ts';
import type { Session } from './postgres-session.ts';
import type { Slot } from './postgres-slot.ts';
import { ConnectionLost } from './transient.ts';

export interface WriterOptions {
  readonly connector: Connector;
  readonly statements: StatementNames;
  readonly slot: Slot;
  /** Off for works that do no harm when they are run twice, and before there is a table of markers. */
  readonly marksCommits: boolean;
  /** How long to ask after a commit whose answer was lost, in ms. */
  readonly doubtMs: number;
}

/** The body's result; `isKnown` is false where the connection broke while the commit was under way. */
interface Attempt<T> {
  readonly result: T;
  readonly isKnown: boolean;
}

const MAX_PAUSE_MS = 250;

/**
 * One connection that writes, made when it is first needed and anew when it was lost.
 *
 * Each transaction begins with a marker of its own. When the answer to a commit is lost, the next transaction
 * begins with the same marker: this waits until the server has ended the first one. If the marker is there then,
 * the first was committed; else it never will be, and the body is run again.
 */
export class PostgresWriter implements Writer {
  readonly #options: WriterOptions;
  readonly #transaction: Transaction;
  #session: Session | undefined;
  #hasWritten = false;
  #begun: Promise<boolean> = Promise.resolve(true);
  /** Statements of the transaction whose answers the body did not wait for. */
  #unanswered: Promise<unknown>[] = [];

  constructor(options: WriterOptions) {
    this.#options = options;
    const { statements, slot } = options;
    const run = (text: string, values: readonly unknown[], isSafeOutside = false) =>
      this.#run(statements.prepare(text, values), text, isSafeOutside);
    const db: Kysely<Schema> = postgresKysely(async ({ sql, parameters }) =>
      toQueryResult(await run(sql, parameters)),
    );
    this.#transaction = {
      dialect: 'postgres',
      db,
      clicks: new PostgresClickStore(run, slot, (answers) => this.#leaveToCommit(answers)),
      get slot() {
        return slot.value;
      },
      savepoint: async (step) => {
        await this.#begun;
        return await this.#current().savepoint(step);
      },
    };
  }

  async transact<T>(body: (tx: Transaction) => Promise<T>, keys: readonly number[]): Promise<T> {
    const marker = randomBytes(12).toString('base64url');
    if (!this.#session || this.#session.isLost) this.#session = await this.#options.connector.open();
    const attempt = await this.#attempt(this.#session, body, this.#begin(this.#session, marker, keys));
    return attempt.isKnown ? attempt.result : await this.#resolve(marker, keys, attempt.result, body);
  }

  async close(): Promise<void> {
    await this.#session?.close();
  }

  /** Finds out how a commit ended whose answer was lost, and runs the body again if it failed. */
  async #resolve<T>(
    marker: string,
    keys: readonly number[],
    committed: T,
    body: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const givesUpAt = performance.now() + this.#options.doubtMs;
    let result = committed;
    for (;;) {
      let isFree: boolean;
      let session: Session;
      try {
        session = await this.#options.connector.openOnce();
        this.#session = session;
        isFree = await this.#begin(session, marker, keys);
      } catch (error) {
        this.#session?.discard();
        if (performance.now() > givesUpAt) {
          throw new OutcomeUnknown('The connection to Postgres broke during a commit', { cause: error });
        }
        await sleep(Math.random() * MAX_PAUSE_MS);
        continue;
      }
      if (!isFree) {
        await session.rollback();
        return result;
      }
      const attempt = await this.#attempt(session, body, Promise.resolve(true));
      if (attempt.isKnown) return attempt.result;
      result = attempt.result;
    }
  }

  /** @returns whether the marker is this transaction's, so that no other has been or will be committed with it */
  async #begin(session: Session, marker: string, keys: readonly number[]): Promise<boolean> {
    this.#hasWritten = false;
    if (!this.#options.marksCommits) {
      await session.query(BEGIN);
      return true;
    }
    const parts = [BEGIN, insertMarker(marker), ...keys.map(lockKey)];
    if (session.isTimeToPlan()) parts.push('DISCARD PLANS');
    // Several statements in one text are answered by several results.
    const answers: unknown = await session.query(parts.join('; '));
    const [, inserted] = answers as [Answer, Answer];
    return inserted.rowCount === 1;
  }

  /** @param begun the transaction's beginning: the body reads without waiting for it, and writes what it must not miss */
  async #attempt<T>(
    session: Session,
    body: (tx: Transaction) => Promise<T>,
    begun: Promise<boolean>,
  ): Promise<Attempt<T>> {
    begun.catch(() => {});
    this.#begun = begun;
    this.#unanswered = [];
    let result: T;
    try {
      result = await body(this.#transaction);
      if (!this.#hasWritten) await begun;
    } catch (error) {
      await Promise.allSettled(this.#unanswered);
      throw await this.#giveUp(session, begun, error);
    }
    if (session.isLost) throw lost();
    if (!this.#hasWritten) {
      await session.rollback();
      return { result, isKnown: true };
    }
    const [commit] = await Promise.allSettled([session.query('COMMIT'), ...this.#unanswered]);
    if (commit.status === 'rejected') {
      // A server that still answers has refused the commit; of one that is gone nothing is known.
      const cause = await this.#giveUp(session, begun, commit.reason);
      if (session.isLost) return { result, isKnown: false };
      throw cause;
    }
    // Where there was no transaction, nothing is stored: what has not waited for one does nothing outside of it.
    await begun;
    // After a statement that failed, Postgres answers COMMIT with success, and rolls back.
    if (commit.value.command === 'COMMIT') return { result, isKnown: true };
    await Promise.all(this.#unanswered);
    throw new Error('The transaction was rolled back, because a statement had failed in it');
  }

  /** Ends a transaction that failed. @returns why: where it failed to begin, every statement fails, and none says why */
  async #giveUp(session: Session, begun: Promise<boolean>, error: unknown): Promise<unknown> {
    const cause: unknown = await begun.then(
      () => error,
      (reason: unknown) => reason,
    );
    await session.rollback();
    return session.isLost ? lost(cause) : cause;
  }

  /** Has the commit follow statements whose answers nobody needs: it fails where one of them does. */
  async #leaveToCommit(answers: Promise<unknown>): Promise<void> {
    if (this.#current().isInSavepoint) await answers;
    else {
      answers.catch(() => {});
      this.#unanswered.push(answers);
    }
  }

  async #run(
    statement: Parameters<Session['query']>[0],
    text: string,
    isSafeOutside: boolean,
  ): Promise<Answer> {
    if (!READS.test(text)) {
      // Outside of a transaction it would be stored at once.
      if (!isSafeOutside) await this.#begun;
      this.#hasWritten = true;
    }
    return await this.#current().query(statement);
  }

  #current(): Session {
    if (!this.#session) throw new Error('There is no transaction');
    return this.#session;
  }
}

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
const READS = /^\s*select\s/i;

/** By the server's clock, for it must be the same for all processes; the marker is made of letters, digits, - and _. */
function insertMarker(marker: string): string {
  return `INSERT INTO commit_markers (id, created_at)
    VALUES ('${marker}', (extract(epoch FROM clock_timestamp()) * 1000)::bigint) ON CONFLICT DO NOTHING`;
}

/** First key of these advisory locks, so that they meet no others. */
const LOCK_CLASS = 0x61666c;
const MAX_KEY = 2 ** 31;

/**
 * The works of a batch lock rows in the order in which they came, so that two batches of one workspace, in two
 * processes, could wait for each other. They would wait anyway, for the balances of a partner; now they do so in turn.
 */
function lockKey(key: number): string {
  return `SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${Math.trunc(key) % MAX_KEY})`;
}

function lost(cause?: unknown): ConnectionLost {
  return cause instanceof ConnectionLost
    ? cause
    : new ConnectionLost('The connection to Postgres broke', { cause });
}
