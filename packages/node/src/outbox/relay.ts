import type { Affkit } from '../affkit.ts';
import { AffkitUnexpectedReplyError, AffkitValidationError } from '../errors.ts';
import { eventKeys } from '../event-keys.ts';
import { correctRejectedTime, withCurrentAge } from '../event-time.ts';
import { decideFailureAction, MAX_UNEXPECTED_REPLIES, mayBeEventSpecific } from '../failure-action.ts';
import { parseObject } from '../input/check.ts';
import type { LeadInput, RefundInput, SaleInput } from '../input/events.ts';
import { type ConcurrencyLimit, limitConcurrency } from '../limit-concurrency.ts';
import type { LeadResult, RefundResult, SaleResult } from '../results.ts';
import type { Operation } from '../retry.ts';
import { transactionIdTakenError } from '../transaction-id-taken.ts';
import { unattributedResult } from '../unattributed.ts';
import type { Query, TableStatements } from './table.ts';

/** The outcome of one call of `outbox.relay()`. */
export interface RelayResult {
  /**
   * Number of rows that were deleted, because the server accepted the event or found no partner for its
   * customer.
   */
  readonly delivered: number;
  /**
   * Number of rows that the server rejected, or that do not contain a valid event. A sale whose `transaction_id`
   * another program uses counts as rejected. These rows remain in the table, with the reason in column `refusal`, and
   * are not sent again.
   */
  readonly refused: number;
  /**
   * Number of rows that this call has read, but that are neither delivered nor rejected yet. If `heldUpBy` is set, the
   * table may contain more unsent rows.
   */
  readonly waiting: number;
  /**
   * The error that stopped this call early, e.g. because the server is down, or because 20 replies in a row did not
   * come from Affkit. Fewer such replies do not stop the call, but the last of them is reported here. Undefined if
   * there was no such error or reply. A reply with status 500 is not reported here: it can delay only its own event and
   * later events that share a key with it. `waiting` counts these events.
   */
  readonly heldUpBy: Error | undefined;
}

type OutboxEvent = Readonly<Record<string, unknown>>;

type EventResult = SaleResult | RefundResult | LeadResult;

type OutboxClient = Pick<Affkit, 'sale' | 'refund' | 'lead'>;

interface OutboxTableRow {
  readonly id: string | number;
  readonly operation: string;
  readonly body: string;
}

/** What happened to the rows of one batch. */
interface BatchOutcome {
  readonly delivered: OutboxTableRow['id'][];
  readonly refused: { readonly id: OutboxTableRow['id']; readonly reason: string }[];
}

/**
 * Sends the rows of the table in batches and deletes the rows that the server accepted. Rows that share a key (a
 * transaction id, customer, click or subscription) are sent in order. If a row must wait for a later call, later
 * rows that share a key with it wait too. A lead that fails with status 500 is an exception: the rows after it are
 * still sent.
 */
export async function relayRows(
  table: TableStatements,
  affkit: OutboxClient,
  query: Query,
  concurrency: number,
  now: () => number,
): Promise<RelayResult> {
  const sender = new RowSender(affkit, limitConcurrency(concurrency), now);
  let [delivered, refused, waiting] = [0, 0, 0];
  let lastId: OutboxTableRow['id'] | undefined = 0;
  while (lastId !== undefined && !sender.isStopped) {
    const rows: OutboxTableRow[] = (await query(table.list, [lastId])).map(readOutboxRow);
    lastId = rows.at(-1)?.id;
    const batch = await sender.send(rows);
    // Statements run one at a time, because `query` may use a single connection.
    if (batch.delivered.length > 0) await query(table.remove(batch.delivered.length), batch.delivered);
    for (const { id, reason } of batch.refused) await query(table.markRefused, [reason, id]);
    delivered += batch.delivered.length;
    refused += batch.refused.length;
    waiting += rows.length - batch.delivered.length - batch.refused.length;
  }
  return { delivered, refused, waiting, heldUpBy: sender.heldUpBy };
}

/** Sends rows concurrently. Rows that share a key are sent one after the other. */
class RowSender {
  readonly #affkit: OutboxClient;
  readonly #limit: ConcurrencyLimit;
  readonly #now: () => number;
  /** The keys of rows that wait for a later call. Later rows with such a key wait too. */
  readonly #blockedKeys = new Set<string>();
  /** The keys of leads that failed with status 500. Later rows with such a key are sent before these leads. */
  readonly #overtakenLeadKeys = new Set<string>();
  /** Number of unexpected replies since the server last accepted or rejected a row. */
  #unexpectedReplies = 0;
  /** The failure that stopped the sender, or the last reply that did not come from Affkit. */
  heldUpBy: Error | undefined;
  /** Whether a failure that would affect every row has occurred. If so, no further rows are sent. */
  isStopped = false;

  constructor(affkit: OutboxClient, limit: ConcurrencyLimit, now: () => number) {
    this.#affkit = affkit;
    this.#limit = limit;
    this.#now = now;
  }

  /** Sends the rows, which must be in the order of their ids. */
  async send(rows: readonly OutboxTableRow[]): Promise<BatchOutcome> {
    const outcome: BatchOutcome = { delivered: [], refused: [] };
    /** For each key, a promise that resolves when the latest row with that key has been handled. */
    const previous = new Map<string, Promise<void>>();
    const sent = rows.map((row) => {
      const event = parseOutboxEvent(row);
      if (event === undefined) {
        outcome.refused.push({ id: row.id, reason: 'The row does not contain a valid event' });
        return undefined;
      }
      const keys = eventKeys(row.body);
      const earlier = keys.map((key) => previous.get(key));
      const run = Promise.all(earlier).then(() =>
        this.#limit(() => this.#sendRow(row, event, keys, outcome)),
      );
      for (const key of keys) previous.set(key, run);
      return run;
    });
    await Promise.all(sent);
    return outcome;
  }

  async #sendRow(
    row: OutboxTableRow,
    event: OutboxEvent,
    keys: readonly string[],
    outcome: BatchOutcome,
  ): Promise<void> {
    if (this.isStopped) return;
    if (keys.some((key) => this.#blockedKeys.has(key))) return addAll(this.#blockedKeys, keys);
    // The server may find the partner once it has an earlier lead with the same key.
    const isEarly = () => keys.some((key) => this.#overtakenLeadKeys.has(key));
    try {
      const result = await this.#sendCorrected(row.operation, event);
      const takenError = transactionIdTakenError(result);
      if (takenError !== undefined) throw takenError;
      this.#unexpectedReplies = 0;
      if (result.status === 'unattributed' && isEarly()) addAll(this.#blockedKeys, keys);
      else outcome.delivered.push(row.id);
    } catch (error) {
      // The client's own validation may reject a row that another version of this package stored. No request was sent
      // then, so the rejection does not show that the server can be reached.
      const isInvalid = error instanceof AffkitValidationError && error.attempts === 0;
      if (isInvalid || decideFailureAction(error) === 'dead_letter') {
        if (!isInvalid) this.#unexpectedReplies = 0;
        // With `throwOnUnattributed`, the client throws instead of returning the status `unattributed`.
        const isUnattributed = unattributedResult(row.operation as Operation, error) !== undefined;
        if (isUnattributed && isEarly()) addAll(this.#blockedKeys, keys);
        else outcome.refused.push({ id: row.id, reason: String(error) });
      } else if (mayBeEventSpecific(error)) {
        // A lead that causes a server error must not block the sale of the same customer.
        addAll(row.operation === 'lead' ? this.#overtakenLeadKeys : this.#blockedKeys, keys);
      } else {
        addAll(this.#blockedKeys, keys);
        this.#holdUp(error);
      }
    }
  }

  #holdUp(error: unknown): void {
    // Keep the error that stopped the sender. Rows that were already in flight may fail later with other errors.
    if (this.isStopped) return;
    this.heldUpBy = error instanceof Error ? error : new Error(String(error));
    // A firewall may block this event only, so a single unexpected reply does not stop the sender.
    if (error instanceof AffkitUnexpectedReplyError) {
      this.#unexpectedReplies += error.attempts;
      this.isStopped = this.#unexpectedReplies >= MAX_UNEXPECTED_REPLIES;
    } else {
      this.isStopped = true;
    }
  }

  /** Sends an event with its age. Corrects a time that the server rejects, so that the event is not lost. */
  async #sendCorrected(operation: string, stored: OutboxEvent): Promise<EventResult> {
    const event = withCurrentAge(stored, this.#now());
    try {
      return await sendOutboxEvent(this.#affkit, operation, event);
    } catch (error) {
      const corrected = correctRejectedTime(event, error);
      if (corrected === undefined) throw error;
      return sendOutboxEvent(this.#affkit, operation, corrected);
    }
  }
}

function addAll(set: Set<string>, keys: readonly string[]): void {
  for (const key of keys) set.add(key);
}

/** Parses the event of a row. Returns undefined if the row cannot be sent. */
function parseOutboxEvent({ operation, body }: OutboxTableRow): OutboxEvent | undefined {
  const isKnown = operation === 'sale' || operation === 'refund' || operation === 'lead';
  return isKnown ? parseObject(body) : undefined;
}

/** The casts are safe: the input was validated before the insert, and the client validates it again. */
function sendOutboxEvent(affkit: OutboxClient, operation: string, event: object): Promise<EventResult> {
  if (operation === 'lead') return affkit.lead(event as LeadInput);
  if (operation === 'refund') return affkit.refund(event as RefundInput);
  return affkit.sale(event as SaleInput);
}

function readOutboxRow(row: object): OutboxTableRow {
  const { id, operation, body } = row as Readonly<Record<string, unknown>>;
  // Some drivers return BigInt, but do not accept it as a parameter. Every database accepts an integer as text.
  const rowId = typeof id === 'bigint' ? String(id) : id;
  const isId = typeof rowId === 'string' || typeof rowId === 'number';
  if (isId && typeof operation === 'string' && typeof body === 'string')
    return { id: rowId, operation, body };
  throw new TypeError('query must return rows as objects with the columns id, operation and body');
}
