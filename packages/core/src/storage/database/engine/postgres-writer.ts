import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { PostgresClickStoreFactory } from '../click-store.ts';
import type { Schema } from '../schema.ts';
import { insertMarkers } from './commit-markers.ts';
import { OutcomeUnknown, type Transaction } from './engine.ts';
import type { Writer } from './lane.ts';
import type { Connector } from './postgres-connector.ts';
import { postgresKysely, type StatementNames, toQueryResult } from './postgres-dialect.ts';
import type { Session } from './postgres-session.ts';
import type { Slot } from './postgres-slot.ts';
import { type Attempt, PostgresTransaction } from './postgres-transaction.ts';
import { ConnectionLost } from './transient.ts';

export interface WriterOptions {
  readonly createClickStore: PostgresClickStoreFactory;
  readonly connector: Connector;
  readonly statements: StatementNames;
  readonly slot: Slot;
  /** Off for works that do no harm when they are run twice, and before there is a table of markers. */
  readonly marksCommits: boolean;
  /** How long to ask after a commit whose answer was lost, in ms. */
  readonly commitOutcomeTimeoutMs: number;
}

const MAX_PAUSE_MS = 250;

/**
 * One connection that writes, made when it is first needed and anew when it was lost.
 *
 * Each transaction stores a marker of its own, or fails. When the answer to a commit is lost, another transaction
 * claims the same marker: this waits until the server has ended the first one, if it has stored it. If the marker is
 * taken then, the first was committed; else the claim keeps it from ever being committed, however late it comes, and
 * the body may be run again.
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
      clicks: options.createClickStore({
        run,
        leaveToCommit: (answers) => current().leaveToCommit(answers),
        get canRunWhole() {
          return options.marksCommits && !current().hasBegun;
        },
        runWhole: (text, values, explain) =>
          current().runWhole((marker) => statements.prepare(text, [marker, ...values]), explain),
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
    const marker = randomUUID();
    if (!this.#session || this.#session.isLost) this.#session = await this.#options.connector.open();
    const session = this.#session;
    const transaction = new PostgresTransaction(session, marker, () => this.#begin(session, marker, keys));
    const { isKnown, result } = await this.#attempt(transaction, body);
    if (isKnown || (await this.#wasCommitted(marker))) return result;
    throw new ConnectionLost('The connection to Postgres broke before the commit');
  }

  async close(): Promise<void> {
    await this.#session?.close();
  }

  async #attempt<T>(
    transaction: PostgresTransaction,
    body: (tx: Transaction) => Promise<T>,
  ): Promise<Attempt<T>> {
    this.#current = transaction;
    try {
      return await transaction.attempt(() => body(this.#works));
    } finally {
      // It holds on to its batch.
      this.#current = undefined;
    }
  }

  /** Finds out how a transaction ended whose answer was lost; where it was not committed, it never will be. */
  async #wasCommitted(marker: string): Promise<boolean> {
    if (!this.#options.marksCommits) return false;
    const givesUpAt = performance.now() + this.#options.commitOutcomeTimeoutMs;
    for (;;) {
      try {
        this.#session = await this.#options.connector.openOnce();
        return !(await claimMarker(this.#session, marker));
      } catch (error) {
        this.#session?.discard();
        if (performance.now() > givesUpAt) {
          throw new OutcomeUnknown('The connection to Postgres broke during a commit', { cause: error });
        }
        await sleep(Math.random() * MAX_PAUSE_MS);
      }
    }
  }

  async #begin(session: Session, marker: string, keys: readonly number[]): Promise<void> {
    const marking = this.#options.marksCommits ? [insertMarkers(`VALUES ('${marker}')`)] : [];
    const parts = [BEGIN, ...marking, ...keys.map(lockKey)];
    if (session.isTimeToPlan()) parts.push('DISCARD PLANS');
    await session.query(parts.join('; '));
  }

  #requireCurrent(): PostgresTransaction {
    if (!this.#current) throw new Error('There is no transaction');
    return this.#current;
  }
}

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/**
 * Keeps the transaction of a marker from being committed, unless it is. The claim leaves a row of its own, so that it is
 * known again where the answer to it is lost.
 * @returns whether it could be kept from it
 */
async function claimMarker(session: Session, marker: string): Promise<boolean> {
  const claim = `${marker}!`;
  const { rowCount } = await session.query(`
    WITH claimed AS (${insertMarkers(`VALUES ('${marker}')`)} ON CONFLICT DO NOTHING RETURNING id)
    ${insertMarkers(`SELECT '${claim}' FROM claimed`)}`);
  if (rowCount === 1) return true;
  // By a statement of its own: what the first has waited for, it does not see.
  const claims = await session.query(`SELECT 1 FROM commit_markers WHERE id = '${claim}'`);
  return claims.rowCount === 1;
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
