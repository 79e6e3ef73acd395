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
import { type Attempt, PostgresTransaction } from './postgres-transaction.ts';

export interface WriterOptions {
  readonly connector: Connector;
  readonly statements: StatementNames;
  readonly slot: Slot;
  /** Off for works that do no harm when they are run twice, and before there is a table of markers. */
  readonly marksCommits: boolean;
  /** How long to ask after a commit whose answer was lost, in ms. */
  readonly doubtMs: number;
}

const MAX_PAUSE_MS = 250;

/**
 * One connection that writes, made when it is first needed and anew when it was lost.
 *
 * Each transaction stores a marker of its own. When the answer to a commit is lost, the next transaction
 * begins with the same marker: this waits until the server has ended the first one. If the marker is there then,
 * the first was committed; else it never will be, and the body is run again.
 */
export class PostgresWriter implements Writer {
  readonly #options: WriterOptions;
  readonly #works: Transaction;
  #session: Session | undefined;
  #current: PostgresTransaction | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    const { statements, slot } = options;
    const current = () => this.#requireCurrent();
    const run = (text: string, values: readonly unknown[]) =>
      current().run(statements.prepare(text, values), text);
    const db: Kysely<Schema> = postgresKysely(async ({ sql, parameters }) =>
      toQueryResult(await run(sql, parameters)),
    );
    this.#works = {
      dialect: 'postgres',
      db,
      clicks: new PostgresClickStore({
        run,
        leaveToCommit: (answers) => current().leaveToCommit(answers),
        get canRunWhole() {
          return options.marksCommits && !current().hasBegun;
        },
        runWhole: (text, values, explain) =>
          current().runWhole((marker) => statements.prepare(text, values(marker)), explain),
        get slot() {
          return slot.value;
        },
      }),
      get slot() {
        return slot.value;
      },
      savepoint: (step) => current().savepoint(step),
    };
  }

  async transact<T>(body: (tx: Transaction) => Promise<T>, keys: readonly number[]): Promise<T> {
    const marker = randomBytes(12).toString('base64url');
    if (!this.#session || this.#session.isLost) this.#session = await this.#options.connector.open();
    const session = this.#session;
    const transaction = new PostgresTransaction(session, marker, () => this.#begin(session, marker, keys));
    const attempt = await this.#attempt(transaction, body);
    return attempt.isKnown ? attempt.result : await this.#resolve(marker, keys, attempt.result, body);
  }

  async close(): Promise<void> {
    await this.#session?.close();
  }

  async #attempt<T>(
    transaction: PostgresTransaction,
    body: (tx: Transaction) => Promise<T>,
  ): Promise<Attempt<T>> {
    this.#current = transaction;
    return await transaction.attempt(() => body(this.#works));
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
      const begun = Promise.resolve(true);
      const attempt = await this.#attempt(new PostgresTransaction(session, marker, () => begun, begun), body);
      if (attempt.isKnown) return attempt.result;
      result = attempt.result;
    }
  }

  /** @returns whether the marker is this transaction's, so that no other has been or will be committed with it */
  async #begin(session: Session, marker: string, keys: readonly number[]): Promise<boolean> {
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

  #requireCurrent(): PostgresTransaction {
    if (!this.#current) throw new Error('There is no transaction');
    return this.#current;
  }
}

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

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
