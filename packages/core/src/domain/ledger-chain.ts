import { hash } from 'node:crypto';

/** The hashed fields of a ledger entry, as stored in its row. Times are in epoch milliseconds. */
export interface ChainedEntry {
  readonly program_id: number;
  readonly id: number;
  readonly scope: string;
  readonly partner_id: number;
  readonly currency: string;
  readonly kind: string;
  readonly debit_account: string;
  readonly credit_account: string;
  readonly amount_cents: number;
  readonly commission_id: number | null;
  readonly refund_id: number | null;
  readonly payout_id: number | null;
  readonly adjustment_id: number | null;
  readonly created_at: number;
}

/**
 * The last entry of a chain: its position, counted from 1, and its hash. An empty chain
 * has position 0 and a hash that depends only on the program.
 */
export interface ChainHead {
  readonly position: number;
  readonly hash: string;
}

/**
 * The order in which an entry's fields are hashed. Never change it, because every stored hash depends on it.
 */
export const CHAINED_FIELDS = [
  'program_id',
  'id',
  'scope',
  'partner_id',
  'currency',
  'kind',
  'debit_account',
  'credit_account',
  'amount_cents',
  'commission_id',
  'refund_id',
  'payout_id',
  'adjustment_id',
  'created_at',
] as const satisfies readonly (keyof ChainedEntry)[];

/**
 * Returns the head of a program's empty chain. Its position is 0. Its hash is the SHA-256 of the ASCII text
 * `affkit-ledger:ID` in lower-case hex, where ID is the program's id in decimal.
 */
export function initialChainHead(programId: number): ChainHead {
  return { position: 0, hash: hash('sha256', `affkit-ledger:${programId}`) };
}

/**
 * Returns the new head after an entry is appended. Its hash is the SHA-256 of the following UTF-8 bytes, in
 * lower-case hex:
 *
 * 1. the previous hash in lower-case hex,
 * 2. one line feed,
 * 3. the JSON array of the entry's fields in the order of `CHAINED_FIELDS`, without spaces, with numbers in
 * decimal and `null` for a missing value:
 * `[1,7,"partner_program",3,"USD","commission","advertiser_cost","partner_payable",400,9,null,null,null,1771934400000]`
 */
export function nextChainHead(head: ChainHead, entry: ChainedEntry): ChainHead {
  const fields = JSON.stringify(CHAINED_FIELDS.map((field) => entry[field]));
  return { position: head.position + 1, hash: hash('sha256', `${head.hash}\n${fields}`) };
}
