import type { Affkit } from '../affkit.ts';
import { eventKeys } from '../event-keys.ts';
import { decideFailureAction, mayBeEventSpecific } from '../failure-action.ts';
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
   * The error that stopped this call early, e.g. because the server is down. Undefined if it did not stop
   * early.
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
export async function relayRows(table: TableStatements, affkit: Client, query: Query): Promise<RelayResult> {
  let [delivered, refused, waiting] = [0, 0, 0];
  const blockedKeys = new Set<string>();
  const overtakenLeadKeys = new Set<string>();
  for (let lastId: string | number = 0; ; ) {
    const rows: Row[] = (await query(table.list, [lastId])).map(readRow);
    const last = rows.at(-1);
    if (last === undefined) return { delivered, refused, waiting, heldUpBy: undefined };
    lastId = last.id;
    for (const [index, row] of rows.entries()) {
      const keys = eventKeys(row.body);
      if (keys.some((key) => blockedKeys.has(key))) {
        for (const key of keys) blockedKeys.add(key);
        waiting += 1;
        continue;
      }
      try {
        const { status } = await sendRow(affkit, row);
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
        } else if (mayBeEventSpecific(error)) {
          // A lead that causes a server error must not block the sale of the same customer.
          const failedKeys = row.operation === 'lead' ? overtakenLeadKeys : blockedKeys;
          for (const key of keys) failedKeys.add(key);
          waiting += 1;
        } else {
          const heldUpBy = error instanceof Error ? error : new Error(String(error));
          return { delivered, refused, waiting: waiting + rows.length - index, heldUpBy };
        }
      }
    }
  }
}

/** The casts are safe: the input was validated before the insert, and the client validates it again. */
async function sendRow(
  affkit: Client,
  { operation, body }: Row,
): Promise<LeadResult | RefundResult | SaleResult> {
  const event: unknown = JSON.parse(body);
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
