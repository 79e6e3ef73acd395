import { createHash } from 'node:crypto';

/** What a ledger entry says, as its row holds it. Instants are epoch milliseconds. */
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

/** The last entry of a chain: its place, from 1, and its hash. An empty chain has position 0 and the first hash. */
export interface ChainHead {
  readonly position: number;
  readonly hash: string;
}

/** Order of an entry's fields in what is hashed. It never changes: every stored hash depends on it. */
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
 * Where a program's chain begins: position 0, and as hash the SHA-256, in lower-case hex, of the ASCII text
 * `affkit-ledger:ID`, the program's id in decimal.
 */
export function firstHead(programId: number): ChainHead {
  return { position: 0, hash: sha256(`affkit-ledger:${programId}`) };
}

/**
 * The head after one more entry. Its hash is the SHA-256, in lower-case hex, of these bytes (UTF-8): the hash before
 * in lower-case hex, one line feed, and the JSON array of the entry's fields in the order of `CHAINED_FIELDS`, without
 * spaces, numbers in decimal, `null` for what it lacks:
 * `[1,7,"partner_program",3,"USD","commission","advertiser_cost","partner_payable",400,9,null,null,null,1771934400000]`
 */
export function nextHead(head: ChainHead, entry: ChainedEntry): ChainHead {
  const said = JSON.stringify(CHAINED_FIELDS.map((field) => entry[field]));
  return { position: head.position + 1, hash: sha256(`${head.hash}\n${said}`) };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
