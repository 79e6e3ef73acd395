import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { PostgresClickStoreFactory } from '../click-store.ts';
import type { Schema } from '../schema.ts';
import { claimMarker, insertMarkers } from './commit-markers.ts';
import { OutcomeUnknown, type Transaction } from './engine.ts';
import type { Writer } from './lane.ts';
import type { Connector } from './postgres-connector.ts';
import type { CounterSlot } from './postgres-counter-slot.ts';
import { postgresKysely, toQueryResult } from './postgres-dialect.ts';
import { type PostgresPooler, TRANSACTION_SETTINGS } from './postgres-pooler.ts';
import type { PostgresSession } from './postgres-session.ts';
import { PostgresTransaction, type TransactionAttempt } from './postgres-transaction.ts';
import type { StatementNames } from './statement-names.ts';
import { ConnectionLost } from './transient.ts';

export interface WriterOptions {
  readonly createClickStore: PostgresClickStoreFactory;
  readonly connector: Connector;
  readonly statements: StatementNames;
  readonly slot: CounterSlot;
  readonly pooler: PostgresPooler;
  /**
   * Whether each transaction stores a commit marker. Must be false until the table of markers exists. Without
   * markers, a unit of work runs again if the reply to COMMIT is lost, so it must be idempotent.
   */
  readonly storesCommitMarkers: boolean;
  /** How long to try to determine the outcome of a commit when its reply was lost, in milliseconds. */
  readonly commitOutcomeTimeoutMs: number;
}

const MAX_TRANSACTION_RETRY_DELAY_MS = 250;

/**
 * A write connection. It is opened on first use and reopened when it is lost.
 *
 * Each transaction stores a unique marker. If the connection is lost before the reply to COMMIT arrives, the
 * writer inserts the same marker from a new connection. If the original transaction is still open on the
 * server, the insert waits until this transaction ends.
 *
 * - If the marker already exists, the transaction was committed.
 * - Otherwise, the insert succeeds. Because the marker is unique, the original transaction can no longer be
 * committed, even if its COMMIT arrives later. The body can safely run again.
 */
export class PostgresWriter implements Writer {
  readonly #options: WriterOptions;
  /** The object that the body of every transaction receives. It delegates to `#current`. */
  readonly #transaction: Transaction;
  #session: PostgresSession | undefined;
  #current: PostgresTransaction | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    const { statements, slot, pooler } = options;
    const current = () => this.#requireCurrent();
    const isCluster = () => this.#session?.isCluster === true;
    const run = (text: string, values: readonly unknown[]) =>
      current().run(statements.prepare(text, values), text);
    const db: Kysely<Schema> = postgresKysely(async ({ sql, parameters }) =>
      toQueryResult(await run(sql, parameters)),
    );
    this.#transaction = {
      dialect: 'postgres',
      db,
      clicks: options.createClickStore({
        run,
        deferToCommit: (results) => current().deferToCommit(results),
        get canRunSingleStatement() {
          return options.storesCommitMarkers && !current().hasBegun;
        },
        runSingleStatement: (text, values, explain, markerProgramId = null) =>
          current().runSingleStatement(
            (marker) => statements.prepare(text, [marker, ...values]),
            explain,
            markerProgramId,
          ),
        get slot() {
          return slot.value;
        },
        isDurableByDefault: pooler === 'session',
        get isCluster() {
          return isCluster();
        },
      }),
      get slot() {
        return slot.value;
      },
      get isCluster() {
        return isCluster();
      },
      savepoint: (step) => current().savepoint(step),
    };
  }

  async transact<T>(body: (tx: Transaction) => Promise<T>, lockKeys: readonly number[]): Promise<T> {
    const marker = randomUUID();
    if (!this.#session || this.#session.isLost) this.#session = await this.#options.connector.open();
    const session = this.#session;
    const transaction = new PostgresTransaction(session, marker, () =>
      this.#begin(session, marker, lockKeys),
    );
    const { isOutcomeKnown, result, markerProgramId } = await this.#attempt(transaction, body);
    if (isOutcomeKnown || (await this.#wasCommitted(marker, markerProgramId))) return result;
    throw new ConnectionLost('The connection to Postgres was lost before the commit');
  }

  async close(): Promise<void> {
    await this.#session?.close();
  }

  async #attempt<T>(
    transaction: PostgresTransaction,
    body: (tx: Transaction) => Promise<T>,
  ): Promise<TransactionAttempt<T>> {
    this.#current = transaction;
    try {
      return await transaction.attempt(() => body(this.#transaction));
    } finally {
      // Release the batch, so that it can be garbage-collected.
      this.#current = undefined;
    }
  }

  /**
   * Determines the outcome of a commit whose reply was lost. If the result is false, the transaction can no
   * longer be committed.
   * @throws OutcomeUnknown when the server does not respond in time
   */
  async #wasCommitted(marker: string, programId: number | null): Promise<boolean> {
    if (!this.#options.storesCommitMarkers) return false;
    const deadline = performance.now() + this.#options.commitOutcomeTimeoutMs;
    for (;;) {
      try {
        this.#session = await this.#options.connector.openOnce();
        return !(await claimMarker(this.#session, marker, programId));
      } catch (error) {
        this.#session?.discard();
        if (performance.now() > deadline) {
          throw new OutcomeUnknown('The connection to Postgres was lost during a commit', { cause: error });
        }
        await sleep(Math.random() * MAX_TRANSACTION_RETRY_DELAY_MS);
      }
    }
  }

  async #begin(session: PostgresSession, marker: string, lockKeys: readonly number[]): Promise<void> {
    const statements = [BEGIN];
    if (this.#options.pooler === 'transaction') statements.push(TRANSACTION_SETTINGS);
    if (this.#options.storesCommitMarkers) statements.push(insertMarkers(`VALUES ('${marker}')`));
    statements.push(...lockKeys.map(lockStatement));
    if (session.shouldDiscardPlans()) statements.push('DISCARD PLANS');
    await session.query(statements.join('; '));
  }

  #requireCurrent(): PostgresTransaction {
    if (!this.#current) throw new Error('A transaction was used after it had ended');
    return this.#current;
  }
}

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** The first key of the advisory locks on workspaces. Other advisory locks use other first keys. */
const LOCK_CLASS = 0x61666c;
/** The second key of an advisory lock is a signed 32-bit integer. */
const KEY_LIMIT = 2 ** 31;

/**
 * Returns a statement that serializes the transactions of a workspace across processes. Units of work lock
 * rows in the order in which the units arrive, so two batches could deadlock without this lock. The lock costs
 * little, because such batches would wait for each other's locks on partner balances anyway.
 */
function lockStatement(key: number): string {
  return `SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${Math.trunc(key) % KEY_LIMIT})`;
}
