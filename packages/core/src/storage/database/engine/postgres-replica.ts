import { type Kysely, sql } from 'kysely';
import type pg from 'pg';
import type { Schema } from '../schema.ts';
import type { Replica, ReplicaState } from './engine.ts';
import type { Execute } from './kysely.ts';
import { postgresKysely, toQueryResult } from './postgres-dialect.ts';
import { ReplicaLag } from './replica-lag.ts';
import type { StatementNames } from './statement-names.ts';

export interface ReplicaOptions {
  readonly pool: pg.Pool;
  readonly statements: StatementNames;
  readonly maxLagMs: number;
  /** Runs a query on the primary. */
  readonly readPrimary: Execute;
  readonly snapshotOfPrimary: Replica['snapshot'];
  readonly snapshotOfReplica: Replica['snapshot'];
}

const POLL_INTERVAL_MS = 1_000;

/**
 * Reads from a streaming replica while it is at most `maxLagMs` behind. Otherwise, or when the replica fails,
 * reads go to the primary.
 *
 * The replica replays the log of the primary. Every second, this class records the position up to which the primary
 * has written the log. It also reads the position up to which the replica has replayed the log. The lag is the age of
 * the latest recorded position that the replica has reached. It is measured only with the clock of this process, and
 * grows while the replica does not answer.
 */
export class PostgresReplica implements Replica {
  readonly maxLagMs: number;
  readonly read: Kysely<Schema>;
  readonly #options: ReplicaOptions;
  readonly #primary: Kysely<Schema>;
  readonly #lag = new ReplicaLag();
  readonly #reads = { replica: 0, primary: 0 };
  /** Why the replica cannot be used, apart from its lag. */
  #problem: 'away' | 'not_a_replica' | null = null;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.maxLagMs = options.maxLagMs;
    this.#primary = postgresKysely(options.readPrimary);
    this.read = postgresKysely((query) =>
      this.#readEither(
        async () => {
          const { sql: text, parameters } = query;
          return toQueryResult(await options.pool.query(options.statements.prepare(text, parameters)));
        },
        () => options.readPrimary(query),
      ),
    );
  }

  state(): ReplicaState {
    this.#start();
    const lagMs = this.#lag.lagMs(performance.now());
    const isUsable = lagMs !== null && lagMs <= this.maxLagMs;
    const status = this.#problem ?? (isUsable ? 'used' : 'behind');
    return { status, lagMs, reads: { ...this.#reads } };
  }

  /**
   * A failure after `body` has started is not retried on the primary, because the caller may already have
   * used the rows.
   */
  async snapshot<T>(body: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
    let hasBegun = false;
    const begin = (db: Kysely<Schema>) => {
      hasBegun = true;
      return body(db);
    };
    const { snapshotOfReplica, snapshotOfPrimary } = this.#options;
    return await this.#readEither(
      () => snapshotOfReplica(begin),
      (failure) => {
        if (hasBegun) throw failure;
        return snapshotOfPrimary(body);
      },
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#polling;
    await this.#options.pool.end();
  }

  async #readEither<T>(
    fromReplica: () => Promise<T>,
    fromPrimary: (failure: unknown) => Promise<T>,
  ): Promise<T> {
    let failure: unknown;
    if (this.state().status === 'used') {
      try {
        const result = await fromReplica();
        this.#reads.replica += 1;
        return result;
      } catch (error) {
        // Retry after any error. For example, the replica may not have the columns of the latest migration
        // yet. If the query itself is wrong, it fails on the primary too.
        failure = error;
      }
    }
    this.#reads.primary += 1;
    return await fromPrimary(failure);
  }

  #start(): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = setInterval(() => this.#poll(), POLL_INTERVAL_MS).unref();
    this.#poll();
  }

  #poll(): void {
    this.#polling ??= this.#measure().finally(() => {
      this.#polling = undefined;
    });
  }

  async #measure(): Promise<void> {
    const primary = await this.#measurePrimary().catch(() => null);
    // While the primary cannot be reached, no position is recorded, so the lag keeps growing. Reads stop using the
    // replica when the lag exceeds the limit.
    if (primary === null) return;
    try {
      const { rows } = await this.#options.pool.query(SELECT_REPLAYED);
      const [replica] = rows as [Replayed];
      if (!replica.is_replica || replica.cluster !== primary.cluster) this.#problem = 'not_a_replica';
      else {
        this.#lag.setReplayed(replica.position);
        this.#problem = null;
      }
    } catch {
      this.#problem = 'away';
    }
  }

  async #measurePrimary(): Promise<Position> {
    // Read the clock before the position, so that everything that was committed before this time is below the
    // position.
    const at = performance.now();
    const { rows } = await SELECT_WRITTEN.execute(this.#primary);
    const [position] = rows;
    if (!position) throw new Error('The primary returned no position');
    this.#lag.addWritten({ at, position: position.position });
    return position;
  }
}

interface Position {
  readonly position: number;
  /** The system identifier of the database cluster. A replica has the same identifier as its primary. */
  readonly cluster: string;
}

interface Replayed extends Position {
  readonly is_replica: boolean;
}

const CLUSTER = '(SELECT system_identifier::text FROM pg_control_system()) AS cluster';

const SELECT_WRITTEN = sql<Position>`
  SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0') AS position, ${sql.raw(CLUSTER)}`;

const SELECT_REPLAYED = `
  SELECT pg_is_in_recovery() AS is_replica, ${CLUSTER},
    coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0) AS position`;
