import type { Affkit } from '../affkit.ts';
import { AffkitUnexpectedReplyError } from '../errors.ts';
import { eventKeys } from '../event-keys.ts';
import { correctRejectedTime, withCurrentAge } from '../event-time.ts';
import { decideFailureAction, MAX_UNEXPECTED_REPLIES, mayBeEventSpecific } from '../failure-action.ts';
import type { LeadInput, RefundInput, SaleInput } from '../input/events.ts';
import type { LeadResult, RefundResult, SaleResult } from '../results.ts';
import type { Query, TableStatements } from './table.ts';

/** The outcome of one call of `outbox.relay()`. */
export interface RelayResult {
  /** Number of rows that the server accepted or found no partner for. They are deleted. */
  readonly delivered: number;
  /**
   * Number of rows that the server rejected. They remain in the table, with the reason in column `refusal`,
   * and are not sent again.
   */
  readonly refused: number;
  /**
   * Number of rows that were read but not sent yet. If `heldUpBy` is set, the table may contain more unsent
   * rows.
   */
  readonly waiting: number;
  /**
   * The error that stopped this call early, e.g. because the server is down, or the last reply that did not
   * come from Affkit. 20 such replies in a row stop the call. Undefined if there was neither.
   */
  readonly heldUpBy: Error | undefined;
}

type Client = Pick<Affkit, 'sale' | 'refund' | 'lead'>;

interface Row {
  readonly id: string | number;
  readonly operation: string;
  readonly body: string;
}

/**
 * Sends the rows of the table, oldest first, and deletes the rows that the server accepted. Rows that share a
 * transaction, customer, click or subscription are sent in order: if one fails, the later ones are not sent.
 */
export async function relayRows(
  table: TableStatements,
  affkit: Client,
  query: Query,
  now: () => number,
): Promise<RelayResult> {
  let [delivered, refused, waiting, unexpectedReplies] = [0, 0, 0, 0];
  let heldUpBy: Error | undefined;
  const blockedKeys = new Set<string>();
  const overtakenLeadKeys = new Set<string>();
  for (let lastId: string | number = 0; ; ) {
    const rows: Row[] = (await query(table.list, [lastId])).map(readRow);
    const last = rows.at(-1);
    if (last === undefined) return { delivered, refused, waiting, heldUpBy };
    lastId = last.id;
    for (const [index, row] of rows.entries()) {
      const keys = eventKeys(row.body);
      if (keys.some((key) => blockedKeys.has(key))) {
        for (const key of keys) blockedKeys.add(key);
        waiting += 1;
        continue;
      }
      try {
        const { status } = await sendRow(affkit, row, now());
        unexpectedReplies = 0;
        if (status === 'unattributed' && keys.some((key) => overtakenLeadKeys.has(key))) {
          // The server may find a partner once it has the lead.
          for (const key of keys) blockedKeys.add(key);
          waiting += 1;
          continue;
        }
        await query(table.remove, [row.id]);
        delivered += 1;
      } catch (error) {
        if (decideFailureAction(error) === 'dead_letter') {
          await query(table.markRefused, [String(error), row.id]);
          refused += 1;
          unexpectedReplies = 0;
        } else if (mayBeEventSpecific(error)) {
          // A lead that causes a server error must not block the sale of the same customer.
          const failedKeys = row.operation === 'lead' ? overtakenLeadKeys : blockedKeys;
          for (const key of keys) failedKeys.add(key);
          waiting += 1;
        } else {
          heldUpBy = error instanceof Error ? error : new Error(String(error));
          // A firewall may block only this event.
          if (error instanceof AffkitUnexpectedReplyError) unexpectedReplies += error.attempts;
          else unexpectedReplies = MAX_UNEXPECTED_REPLIES;
          if (unexpectedReplies >= MAX_UNEXPECTED_REPLIES) {
            return { delivered, refused, waiting: waiting + rows.length - index, heldUpBy };
          }
          for (const key of keys) blockedKeys.add(key);
          waiting += 1;
        }
      }
    }
  }
}

/** Sends a row. Corrects a time that the server rejects, so that the event is not lost. */
async function sendRow(
  affkit: Client,
  { operation, body }: Row,
  nowMs: number,
): Promise<LeadResult | RefundResult | SaleResult> {
  const event = withCurrentAge(JSON.parse(body) as Readonly<Record<string, unknown>>, nowMs);
  try {
    return await sendEvent(affkit, operation, event);
  } catch (error) {
    const corrected = correctRejectedTime(event, error);
    if (corrected === undefined) throw error;
    return sendEvent(affkit, operation, corrected);
  }
}

/** The casts are safe: the input was validated before the insert, and the client validates it again. */
async function sendEvent(
  affkit: Client,
  operation: string,
  event: unknown,
): Promise<LeadResult | RefundResult | SaleResult> {
  if (operation === 'lead') return affkit.lead(event as LeadInput);
  if (operation === 'refund') return affkit.refund(event as RefundInput);
  return affkit.sale(event as SaleInput);
}

function readRow(row: object): Row {
  const { id, operation, body } = row as Readonly<Record<string, unknown>>;
  const isId = typeof id === 'string' || typeof id === 'number';
  if (isId && typeof operation === 'string' && typeof body === 'string') return { id, operation, body };
  throw new TypeError('query must return rows as objects with the columns id, operation and body');
}
