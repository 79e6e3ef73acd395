import type { Affkit } from '../affkit.ts';
import { readInteger } from '../check-option.ts';
import type { LeadInput, RefundInput, SaleInput } from '../input/events.ts';
import { readInput } from '../input/read-input.ts';
import type { Operation } from '../retry.ts';
import { type Runtime, systemRuntime } from '../runtime.ts';
import { type RelayResult, relayRows } from './relay.ts';
import { type Dialect, type Query, tableStatements } from './table.ts';

export type { RelayResult } from './relay.ts';
export type { Dialect, Query } from './table.ts';

/** Options of {@link sqlOutbox}. */
export interface OutboxOptions {
  /** The SQL dialect of your database: `postgres`, `sqlite`, or `mysql` for MySQL and MariaDB. */
  readonly dialect: Dialect;
  /**
   * Name of the outbox table, optionally with a schema, e.g. `shop.affkit_outbox`.
   *
   * @default 'affkit_outbox'
   */
  readonly table?: string | undefined;
  /**
   * Maximum number of events that `relay` sends at the same time. Events that share a transaction id,
   * customer, click or subscription are still sent one after the other. The `processor_refs` of a sale count as
   * transaction ids.
   *
   * @default 32
   */
  readonly concurrency?: number | undefined;
  /**
   * The clock for `occurred_at` and `age_ms`. Replace it in tests.
   *
   * @default systemRuntime
   */
  readonly runtime?: Pick<Runtime, 'now'> | undefined;
}

/** Stores events as rows of your own database and sends them later. */
export interface Outbox {
  /** The `create table` statement. Run it in one of your migrations. */
  readonly schema: string;
  /**
   * Validates a sale, sets a missing `occurred_at` to the current time, and inserts it. Pass a `query`
   * function that runs in your database transaction. The order and its event are then stored together or not
   * at all.
   *
   * @throws AffkitValidationError before the insert, if the input is invalid
   */
  sale(query: Query, input: SaleInput): Promise<void>;
  /** Stores a refund, as {@link Outbox.sale} stores a sale. */
  refund(query: Query, input: RefundInput): Promise<void>;
  /** Stores a lead, as {@link Outbox.sale} stores a sale. */
  lead(query: Query, input: LeadInput): Promise<void>;
  /**
   * Sends all stored events once, in batches of 500 rows. Call it periodically, e.g. every few seconds in one
   * process. Two calls at the same time are safe, but they send events twice. If the process dies, the next
   * call sends the interrupted batch again, and the server records each event once.
   *
   * @param query must run outside of a database transaction. A call of `relay` runs one `query` at a time.
   * @throws the error of `query`. A failed request does not throw; it is reported in the {@link RelayResult}.
   */
  relay(affkit: Pick<Affkit, 'sale' | 'refund' | 'lead'>, query: Query): Promise<RelayResult>;
}

/**
 * Creates an outbox in a table of your database.
 *
 * @throws AffkitConfigurationError if `table`, `dialect` or `concurrency` is not valid
 *
 * @example
 * ```ts
 * const outbox = sqlOutbox({ dialect: 'postgres' });
 * const queryOf = (client: pg.Pool | pg.PoolClient): Query => async (sql, values) =>
 *   (await client.query(sql, [...values])).rows;
 *
 * const sale = { transaction_id: order.id, amount_cents: order.totalCents, customer_key: user.id };
 * await outbox.sale(queryOf(transaction), sale);
 * const { refused, heldUpBy } = await outbox.relay(affkit, queryOf(pool));
 * ```
 */
export function sqlOutbox(options: OutboxOptions): Outbox {
  const table = tableStatements(options.table ?? 'affkit_outbox', options.dialect);
  const concurrency = readInteger('concurrency', options.concurrency ?? 32, 1);
  const runtime = options.runtime ?? systemRuntime;
  const put = (operation: Operation) => async (query: Query, input: object) => {
    const { body, isTimeOfCall } = readInput(operation, input, runtime.now());
    // The field `age_ms` marks events whose age the relay must send. The relay replaces the 0 with the real age.
    const event = JSON.parse(body) as object;
    await query(table.insert, [operation, isTimeOfCall ? JSON.stringify({ ...event, age_ms: 0 }) : body]);
  };
  return {
    schema: table.schema,
    sale: put('sale'),
    refund: put('refund'),
    lead: put('lead'),
    relay: (affkit, query) => relayRows(table, affkit, query, concurrency, () => runtime.now()),
  };
}
