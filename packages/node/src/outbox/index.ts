import type { Affkit } from '../affkit.ts';
import type { LeadInput, RefundInput, SaleInput } from '../input/events.ts';
import { readInput } from '../input/read-input.ts';
import type { Operation } from '../retry.ts';
import { type Runtime, systemRuntime } from '../runtime.ts';
import { type Relayed, relayRows } from './relay.ts';
import { type Dialect, makeTable, type Query } from './table.ts';

export type { Relayed } from './relay.ts';
export type { Dialect, Query } from './table.ts';

export interface OutboxOptions {
  readonly dialect: Dialect;
  /** @default 'affkit_outbox' */
  readonly table?: string | undefined;
  /** @default `systemRuntime` */
  readonly runtime?: Pick<Runtime, 'now'> | undefined;
}

/** Events as rows of your own database. */
export interface Outbox {
  /** The statement that makes the table, for a migration of yours. */
  readonly schema: string;
  /**
   * Checks an event, stamps it with the present time and inserts it by your function: in your transaction, so that
   * the order and its event are stored both or neither. Throws an `AffkitValidationError` before it inserts.
   */
  sale(query: Query, input: SaleInput): Promise<void>;
  refund(query: Query, input: RefundInput): Promise<void>;
  lead(query: Query, input: LeadInput): Promise<void>;
  /**
   * Sends what is there, once through, and tells what came of it; call it again and again. `query` must be outside
   * any transaction. Two at once are safe and send twice.
   */
  relay(affkit: Pick<Affkit, 'sale' | 'refund' | 'lead'>, query: Query): Promise<Relayed>;
}

/** An outbox in a table of your database. */
export function sqlOutbox(options: OutboxOptions): Outbox {
  const table = makeTable(options.table ?? 'affkit_outbox', options.dialect);
  const runtime = options.runtime ?? systemRuntime;
  const put = (operation: Operation) => async (query: Query, input: object) => {
    const { body } = readInput(operation, input, runtime.now());
    await query(table.insert, [operation, body]);
  };
  return {
    schema: table.schema,
    sale: put('sale'),
    refund: put('refund'),
    lead: put('lead'),
    relay: (affkit, query) => relayRows(table, affkit, query),
  };
}
