import type { Statement } from 'better-sqlite3';
import type { AttributionModel, CustomerStatus } from '../../domain/attribution.ts';
import type { VisitFields } from './click-columns.ts';
import type { PartnerProgramStatus } from './schema-programs.ts';

/** A referral link with what a click on it must know. `null` partner: it was erased. */
export interface LinkFacts {
  shortLink: string;
  linkId: number;
  programId: number;
  partnerId: number | null;
  status: 'active' | 'inactive';
  /** Null where the partner is not enrolled. */
  partnerProgramStatus: PartnerProgramStatus | null;
  programDeleted: boolean;
  cookieWindowDays: number;
  attributionModel: AttributionModel;
  allowedOrigins: readonly string[];
  cookieDomain: string | null;
}

/** A customer that a click names by its id. */
export interface ClickedCustomer {
  programId: number;
  id: number;
  clickId: string;
  partnerId: number | null;
  linkId: number;
  status: CustomerStatus;
  /** Code of the link by which the customer came. */
  shortLink: string;
}

export interface ClickKeyRef {
  programId: number;
  linkId: number;
  key: string;
}

export interface NewCustomer {
  programId: number;
  clickId: string;
  partnerId: number | null;
  linkId: number;
  at: number;
}

/** What a further click changes on its customer. */
export interface CustomerTouch {
  programId: number;
  customerId: number;
  partnerId: number | null;
  linkId: number;
  lastClickAt: number;
}

/** A click event; `customerId` is null where the batch makes the customer of `clickId` itself. */
export interface NewClickEvent extends VisitFields {
  programId: number;
  customerId: number | null;
  clickId: string;
  linkId: number;
  partnerId: number | null;
  at: number;
}

/** Everything that a batch of clicks writes. The store adds up its counters and daily totals from `events`. */
export interface ClickBatch {
  customers: readonly NewCustomer[];
  touches: readonly CustomerTouch[];
  events: readonly NewClickEvent[];
  now: number;
}

/** A code, with what shows whether it still leads to what it led to. */
export interface CachedCode {
  readonly shortLink: string;
  /** Null where nobody had the code. */
  readonly fingerprint: string | null;
}

export interface CachedLinks {
  readonly codes: readonly CachedCode[];
  /** Of those codes that had one. */
  readonly links: readonly LinkFacts[];
}

/** Clicks of people who are new: each event is the first of a customer of its own, at the partner of its link. */
export interface NewVisits {
  readonly events: readonly NewClickEvent[];
  readonly keys: readonly (ClickKeyRef & { answer: string })[];
  readonly now: number;
}

/** A batch was written by what was remembered, and that is no longer so. Nothing of it is stored. */
export class StaleCache extends Error {
  override readonly name = 'OutdatedMemory';
}

/** Writes a batch without a look at the database before: one statement is the whole transaction. */
export interface ClickCache {
  /** What is remembered of the codes; null where one was not looked up yet, or a transaction has begun already. */
  get(shortLinks: readonly string[]): CachedLinks | null;
  /**
   * Writes the visits and claims their keys; the transaction must write nothing else. It fails with `StaleCache`
   * where a code does not lead to what is remembered, which empties the memory, or a key is claimed already.
   */
  save(visits: NewVisits, remembered: CachedLinks): void;
}

/** The click path's own statements: each call is one round trip, whatever the number of clicks. */
export interface ClickStore {
  /** Null where a look at the database costs no round trip. */
  readonly cache: ClickCache | null;
  /**
   * @param shortLinks codes, each once
   * @param customers click ids with the program they carry, each once; rows are locked
   */
  load(
    shortLinks: readonly string[],
    customers: readonly { programId: number; clickId: string }[],
  ): Promise<{ links: LinkFacts[]; customers: ClickedCustomer[] }>;
  /**
   * Claims idempotency keys: stores those that are new, and returns the stored answers of the others
   * (waiting for another process that is about to commit the same key).
   */
  claimKeys(
    keys: readonly (ClickKeyRef & { answer: string })[],
    now: number,
  ): Promise<(ClickKeyRef & { answer: string })[]>;
  /** The stored answers of those keys that were claimed before. */
  findAnswers(keys: readonly ClickKeyRef[]): Promise<(ClickKeyRef & { answer: string })[]>;
  /** Writes the batch. */
  save(batch: ClickBatch): Promise<void>;
}

/** The writing connection, as the click statements use it on Postgres. */
export interface ClickSession {
  /** Runs a prepared statement in the transaction, behind those asked for before, without waiting for their answers. */
  run(sql: string, values: readonly unknown[]): Promise<{ rows: unknown[] }>;
  /** Waits for answers only where the commit would not fail with them. */
  leaveToCommit(answers: Promise<unknown>): Promise<void>;
  /** Has no transaction begun yet, so that one statement can be all of it? */
  readonly canRunWhole: boolean;
  /**
   * Has one statement be the whole transaction. It must store the marker, its first parameter, and is answered where a
   * commit would be.
   * @param values of its other parameters
   * @param explain what the transaction is to fail with, given the error of the statement
   */
  runWhole(sql: string, values: readonly unknown[], explain: (error: unknown) => unknown): void;
  /** Which of the rows of a counter this process adds to. */
  readonly slot: number;
}

/** Prepared statements of the writing connection, each prepared once. */
export interface ClickStatements {
  get(sql: string): Statement;
}

/** Creates the click store of a SQLite connection. @param slot the counter row that this process adds to */
export type SqliteClickStoreFactory = (statements: ClickStatements, slot: number) => ClickStore;

/** Creates the click store of a Postgres connection. */
export type PostgresClickStoreFactory = (session: ClickSession) => ClickStore;
