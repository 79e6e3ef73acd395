import type { Statement } from 'better-sqlite3';
import type { AttributionModel, CustomerStatus } from '../../domain/attribution.ts';
import type { VisitFields } from './click-columns.ts';
import type { PartnerProgramStatus } from './schema-programs.ts';

/** A referral link with all data that a click on it depends on. */
export interface LinkFacts {
  /**
   * The code under which the link directory lists the link. It is in lower case, unless another link has that
   * code.
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

/** An existing customer whose click id a later click sends. */
export interface ClickedCustomer {
  programId: number;
  id: number;
  clickId: string;
  partnerId: number | null;
  linkId: number;
  status: CustomerStatus;
  /** Code of the link that the customer is attributed to. */
  shortLink: string;
}

/** An idempotency key, which is unique per link. */
export interface ClickKeyRef {
  programId: number;
  linkId: number;
  key: string;
}

/** An idempotency key with the JSON of the reply to its click. */
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

/** The changes that another click makes to its customer. */
export interface CustomerTouch {
  programId: number;
  customerId: number;
  partnerId: number | null;
  linkId: number;
  lastClickAt: number;
}

/** A click event. `customerId` is null when the same batch creates the customer of `clickId`. */
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

/** The amount that a batch adds to one row of `counters`. */
export interface CounterSum {
  programId: number;
  subject: 'link' | 'partner';
  subjectId: number;
  value: number;
  lastAt: number;
}

/**
 * The amount that a batch adds to one row of `daily_totals`. `partnerId` can be another owner: see
 * `total-owner.ts`.
 */
export interface DailySum {
  programId: number;
  partnerId: number;
  day: number;
  value: number;
}

/** The sums of a batch, in the order in which all transactions lock the rows. */
export interface ClickSums {
  counters: readonly CounterSum[];
  days: readonly DailySum[];
}

/**
 * A code of the link directory, with a fingerprint of its link. A different fingerprint in the database means
 * that the cached link is stale.
 */
export interface CachedCode {
  readonly code: string;
  /** Null when no link had the code. */
  readonly fingerprint: string | null;
}

export interface CachedLinks {
  readonly codes: readonly CachedCode[];
  /** The links of all codes that lead to a link. */
  readonly links: readonly LinkFacts[];
}

/** First clicks: each event creates a customer, who is attributed to the partner of its link. */
export interface NewVisits {
  readonly events: readonly NewClickEvent[];
  readonly keys: readonly StoredReply[];
  readonly now: number;
}

/**
 * A batch was decided with cached links that are stale, or one of its keys is already claimed. Nothing is
 * stored.
 */
export class StaleCache extends Error {
  override readonly name = 'StaleCache';
}

/** Writes a batch without reading the database first: one statement is the whole transaction. */
export interface ClickCache {
  /** Returns the cached links, or null when one of the codes is not cached or a transaction has begun. */
  get(codes: readonly string[]): CachedLinks | null;
  /**
   * Writes the visits and claims their keys. The transaction must not write anything else. It fails with
   * `StaleCache` when a cached link has changed, which also clears the cache, or when a key is already
   * claimed.
   */
  save(visits: NewVisits, cached: CachedLinks): void;
}

/**
 * The statements of the click path. The number of round trips of a call does not depend on the number of
 * clicks.
 */
export interface ClickStore {
  /** Null on SQLite, where a read costs no round trip. */
  readonly cache: ClickCache | null;
  /**
   * Loads links and customers, and locks the customers until the transaction ends.
   * @param codes distinct codes, as the link directory lists them
   * @param customers distinct click ids, each with the program that it encodes
   */
  load(
    codes: readonly string[],
    customers: readonly { programId: number; clickId: string }[],
  ): Promise<{ links: LinkFacts[]; customers: ClickedCustomer[] }>;
  /**
   * Claims idempotency keys: stores new keys, and returns the stored replies of keys that are already claimed.
   * Waits for another process that is about to commit the same key.
   */
  claimKeys(keys: readonly StoredReply[], now: number): Promise<StoredReply[]>;
  /** Returns the stored replies of those keys that are already claimed. */
  findStoredReplies(keys: readonly ClickKeyRef[]): Promise<StoredReply[]>;
  save(batch: ClickBatch): Promise<void>;
  /** Adds the events of a batch to counters and daily totals. */
  addTotals(sums: ClickSums): Promise<void>;
}

/** The write connection as the click statements use it on Postgres. */
export interface ClickSession {
  /** Sends a prepared statement in the transaction, without waiting for the results of earlier statements. */
  run(sql: string, values: readonly unknown[]): Promise<{ rows: unknown[] }>;
  /**
   * Waits for the results only inside a savepoint. Outside of a savepoint no wait is needed, because COMMIT
   * fails if one of the statements has failed.
   */
  deferToCommit(results: Promise<unknown>): Promise<void>;
  /** Whether the transaction has not begun, so that one statement can be the entire transaction. */
  readonly canRunSingleStatement: boolean;
  /**
   * Runs one statement as the whole transaction, in place of COMMIT. The statement must store the commit
   * marker, which is its first parameter.
   * @param values the other parameters
   * @param explain maps an error of the statement to the error that the transaction fails with
   */
  runSingleStatement(sql: string, values: readonly unknown[], explain: (error: unknown) => unknown): void;
  /** The counter row that this process adds to, of `SLOTS` rows per counter. */
  readonly slot: number;
}

/** A cache of the prepared statements of the write connection. */
export interface ClickStatements {
  get(sql: string): Statement;
}

/** Creates the click store of a SQLite connection. `slot` is the counter row that this process adds to. */
export type SqliteClickStoreFactory = (statements: ClickStatements, slot: number) => ClickStore;

/** Creates the click store of a Postgres connection. */
export type PostgresClickStoreFactory = (session: ClickSession) => ClickStore;
