import type { Statement } from 'better-sqlite3';
import type { AttributionModel, CustomerStatus } from '../../domain/attribution.ts';
import type { VisitFields } from './click-columns.ts';
import type { PartnerProgramStatus } from './schema-programs.ts';

/** A referral link and all data that is needed to process a click on it. */
export interface LinkFacts {
  /**
   * The code of the link in the link directory. It is in lower case, except for an old link whose lower-case
   * code belongs to another link.
   */
  code: string;
  shortLink: string;
  linkId: number;
  programId: number;
  /** Null when the partner was erased. */
  partnerId: number | null;
  status: 'active' | 'inactive';
  /** Null when the partner is not enrolled. */
  partnerProgramStatus: PartnerProgramStatus | null;
  programDeleted: boolean;
  cookieWindowDays: number;
  attributionModel: AttributionModel;
  allowedOrigins: readonly string[];
  requireOrigin: boolean;
  cookieDomain: string | null;
}

/** An existing customer who clicks again. The request of the later click contains the id of an earlier click. */
export interface ClickedCustomer {
  programId: number;
  id: number;
  clickId: string;
  partnerId: number | null;
  linkId: number;
  status: CustomerStatus;
  /** The code of the link that the customer is attributed to. */
  shortLink: string;
}

/** An idempotency key, which is unique per link. */
export interface ClickKeyRef {
  programId: number;
  linkId: number;
  key: string;
}

/** An idempotency key, and the reply to the click with this key, as JSON. */
export interface StoredReply extends ClickKeyRef {
  reply: string;
}

export interface NewCustomer {
  programId: number;
  clickId: string;
  partnerId: number | null;
  linkId: number;
  at: number;
}

/** The changes that a later click makes to its customer. */
export interface CustomerTouch {
  programId: number;
  customerId: number;
  partnerId: number | null;
  linkId: number;
  lastClickAt: number;
}

/** A click event. `customerId` is null when the customer of `clickId` is created in the same batch. */
export interface NewClickEvent extends VisitFields {
  programId: number;
  customerId: number | null;
  clickId: string;
  linkId: number;
  partnerId: number | null;
  at: number;
}

/** Everything that a batch of clicks writes, except counters and daily totals. */
export interface ClickBatch {
  customers: readonly NewCustomer[];
  touches: readonly CustomerTouch[];
  events: readonly NewClickEvent[];
  now: number;
}

export interface CounterSum {
  programId: number;
  subject: 'link' | 'partner';
  subjectId: number;
  value: number;
  lastAt: number;
}

/**
 * The amount to add to one row of `daily_totals`. `partnerId` may also be an owner other than a partner: see
 * `total-owner.ts`.
 */
export interface DailySum {
  programId: number;
  partnerId: number;
  day: number;
  value: number;
}

/** The sums of a batch, in the order in which all transactions lock the rows. The common order prevents deadlocks. */
export interface ClickSums {
  counters: readonly CounterSum[];
  days: readonly DailySum[];
}

/**
 * A code, with a fingerprint of the cached link. If the link in the database has a different fingerprint, the
 * cached link is stale.
 */
export interface CachedCode {
  readonly code: string;
  /** Null when no link has the code. */
  readonly fingerprint: string | null;
}

export interface CachedLinks {
  readonly codes: readonly CachedCode[];
  /** The links that were found for the codes. */
  readonly links: readonly LinkFacts[];
}

/** First clicks. Each event creates a customer, who is attributed to the partner of the link. */
export interface NewVisits {
  readonly events: readonly NewClickEvent[];
  readonly keys: readonly StoredReply[];
  readonly now: number;
}

/**
 * Thrown when a batch was computed from stale cached links, or when another click has claimed one of its
 * keys. Nothing is stored.
 */
export class StaleCache extends Error {
  override readonly name = 'StaleCache';
}

/**
 * A cache of links. If all links of a batch are cached, the batch is written without reading the database first.
 * The whole transaction is then a single statement.
 */
export interface ClickCache {
  /**
   * Returns the cached links. Returns null if one of the codes is not cached, or if a transaction has begun. On a Citus
   * cluster, also returns null if no single shard can check all codes, for example because their links are on several
   * shards.
   */
  get(codes: readonly string[]): CachedLinks | null;
  /**
   * Writes the visits and claims their keys. The transaction must not write anything else. It fails with
   * `StaleCache` if a cached link has changed or a key is already claimed. A changed link also clears the
   * cache.
   */
  save(visits: NewVisits, cached: CachedLinks): void;
}

/**
 * The database statements that record clicks. A call needs the same number of round trips for any number of clicks. On
 * a Citus cluster, however, some statements are sent once for each program.
 */
export interface ClickStore {
  /** Null on SQLite, where reads need no round trip. */
  readonly cache: ClickCache | null;
  /**
   * Loads links and customers, and locks the customers until the transaction ends.
   * @param codes distinct codes in the spelling of the link directory
   * @param customers distinct click ids, each with the program id that it contains
   */
  load(
    codes: readonly string[],
    customers: readonly { programId: number; clickId: string }[],
  ): Promise<{ links: LinkFacts[]; customers: ClickedCustomer[] }>;
  /**
   * Claims idempotency keys. New keys are stored. For keys that are already claimed, the stored replies are
   * returned. If another process is about to commit the same key, the call waits for it.
   */
  claimKeys(keys: readonly StoredReply[], now: number): Promise<StoredReply[]>;
  /** Returns the stored replies of the keys that are already claimed. */
  findStoredReplies(keys: readonly ClickKeyRef[]): Promise<StoredReply[]>;
  save(batch: ClickBatch): Promise<void>;
  /** Adds the events of a batch to the counters and daily totals. */
  addTotals(sums: ClickSums): Promise<void>;
}

/** The write connection to Postgres, for the statements that record clicks. */
export interface ClickSession {
  /** Sends a prepared statement in the transaction, without waiting for the results of earlier statements. */
  run(sql: string, values: readonly unknown[]): Promise<{ rows: unknown[] }>;
  /**
   * Makes the transaction fail if a statement fails. In a savepoint, the call waits for the results.
   * Otherwise, it returns immediately, because COMMIT fails if a statement has failed.
   */
  deferToCommit(results: Promise<unknown>): Promise<void>;
  /** Whether no transaction has begun, so that a single statement can be the whole transaction. */
  readonly canRunSingleStatement: boolean;
  /**
   * Runs a single statement as the whole transaction, without BEGIN and COMMIT. The statement must store the
   * commit marker, which is its first parameter.
   * @param values the other parameters
   * @param explain converts an error of the statement to the error of the transaction
   * @param markerProgramId the program whose shard stores the marker. Null if the marker is in
   * `commit_markers`. @default null
   */
  runSingleStatement(
    sql: string,
    values: readonly unknown[],
    explain: (error: unknown) => unknown,
    markerProgramId?: number | null,
  ): void;
  /** Whether the database is a Citus cluster; see `Transaction`. */
  readonly isCluster: boolean;
  /** The slot number of the counter rows that this process adds to. Each counter has `COUNTER_SLOTS` rows. */
  readonly slot: number;
  /**
   * Whether `synchronous_commit` is already on for the connection. If false, a single statement must turn it
   * on, so that its commit waits for the disk.
   */
  readonly isDurableByDefault: boolean;
}

/** A cache of the prepared statements of the write connection. */
export interface ClickStatements {
  get(sql: string): Statement;
}

/**
 * Creates the click store of a SQLite connection. `slot` is the slot number of the counter rows that this
 * process adds to.
 */
export type SqliteClickStoreFactory = (statements: ClickStatements, slot: number) => ClickStore;

export type PostgresClickStoreFactory = (session: ClickSession) => ClickStore;
