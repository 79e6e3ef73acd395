import type { Affkit } from '../affkit.ts';
import { eventKeys } from '../event-keys.ts';
import type { LeadInput, RefundInput, SaleInput } from '../input/events.ts';
import { decideVerdict, isOwnFault } from '../verdict.ts';
import type { Query, Table } from './table.ts';

/** What a round of the relay came to. */
export interface Relayed {
  /** Rows that the server has now, and that are gone. */
  readonly delivered: number;
  /** Rows that the server refuses: they stay, with the reason in `refusal`, and are not sent again. */
  readonly refused: number;
  /** Rows that were read and stay for the next round. Where the round was held up, the table may hold more. */
  readonly waiting: number;
  /** The failure that ended the round before its end, e.g. that the server is down. */
  readonly heldUpBy: Error | undefined;
}

type Client = Pick<Affkit, 'sale' | 'refund' | 'lead'>;

interface Row {
  readonly id: string | number;
  readonly operation: string;
  readonly body: string;
}

/**
 * Sends what is in the table, the oldest first, and removes what the server has. Rows about the same transaction,
 * customer, click or subscription are sent one after the other: behind one that could not be sent the others wait.
 */
export async function relayRows(table: Table, affkit: Client, query: Query): Promise<Relayed> {
  let [delivered, refused, waiting] = [0, 0, 0];
  const heldKeys = new Set<string>();
  for (let lastId: string | number = 0; ; ) {
    const rows: Row[] = (await query(table.list, [lastId])).map(readRow);
    const last = rows.at(-1);
    if (last === undefined) return { delivered, refused, waiting, heldUpBy: undefined };
    lastId = last.id;
    for (const [index, row] of rows.entries()) {
      const keys = eventKeys(row.body);
      if (keys.some((key) => heldKeys.has(key))) {
        for (const key of keys) heldKeys.add(key);
        waiting += 1;
        continue;
      }
      try {
        await sendRow(affkit, row);
        await query(table.remove, [row.id]);
        delivered += 1;
      } catch (error) {
        const verdict = decideVerdict(error);
        if (verdict === 'dead') {
          await query(table.refuse, [String(error), row.id]);
          refused += 1;
        } else if (isOwnFault(error)) {
          // The sale can do without a lead that the server stumbles over.
          if (row.operation !== 'lead') for (const key of keys) heldKeys.add(key);
          waiting += 1;
        } else {
          const heldUpBy = error instanceof Error ? error : new Error(String(error));
          return { delivered, refused, waiting: waiting + rows.length - index, heldUpBy };
        }
      }
    }
  }
}

/** Its fields were checked when it was put in, and are checked again. */
async function sendRow(affkit: Client, { operation, body }: Row): Promise<void> {
  const event: unknown = JSON.parse(body);
  if (operation === 'lead') await affkit.lead(event as LeadInput);
  else if (operation === 'refund') await affkit.refund(event as RefundInput);
  else await affkit.sale(event as SaleInput);
}

function readRow(row: object): Row {
  const { id, operation, body } = row as Readonly<Record<string, unknown>>;
  const isId = typeof id === 'string' || typeof id === 'number';
  if (isId && typeof operation === 'string' && typeof body === 'string') return { id, operation, body };
  throw new TypeError('query must give rows as objects with id, operation and body');
}
