import type { PayoutFileChannel } from '@affkit/protocol';
import type { PayoutDetails } from '../payout-details.ts';

export interface Debtor {
  readonly name: string;
  readonly iban: string;
  readonly bic: string | null;
}

export interface PayoutFileItem {
  readonly payoutId: number;
  readonly amountCents: number;
  readonly partnerName: string;
  readonly details: PayoutDetails;
}

/** A batch to write as a file. The same batch always results in the same text. */
export interface PayoutFileInput {
  readonly id: number;
  readonly programId: number;
  readonly programName: string;
  readonly currency: string;
  readonly createdAt: number;
  /** When the file was first downloaded. */
  readonly downloadedAt: number;
  readonly debtor: Debtor | null;
  /** In the order of their payout ids. */
  readonly items: readonly PayoutFileItem[];
}

/** Why a payout is not in a batch. */
export type LeftOutReason =
  | 'not_pending'
  | 'in_batch'
  | 'zero_amount'
  | 'below_minimum'
  | 'other_currency'
  | 'no_details'
  | 'other_method'
  | 'amount_too_large'
  | 'unsupported_amount'
  | 'unsupported_text'
  | 'partner_excluded'
  | 'batch_full';

/** The file format of a bank or payment service. */
export interface PayoutFormat {
  readonly extension: 'csv' | 'xml';
  readonly mediaType: string;
  /** The largest number of payouts in a file. */
  readonly maxItems: number;
  /** The currencies of the format, or null for every currency. */
  readonly currencies: readonly string[] | null;
  readonly needsDebtor: boolean;
  /** @returns why the payout cannot be in the file, or null */
  check(item: PayoutFileItem, batch: Pick<PayoutFileInput, 'currency'>): LeftOutReason | null;
  render(batch: PayoutFileInput): string;
}

export type PayoutFormats = Readonly<Record<PayoutFileChannel, PayoutFormat>>;

/**
 * The reference of a payout in a file. It contains the id of the batch, because a failed payout may be sent again
 * in another batch.
 */
export function itemReference(batchId: number, payoutId: number): string {
  return `P${batchId}-${payoutId}`;
}

const ITEM_REFERENCE = /^P(\d{1,16})-(\d{1,16})$/;

/** Whether the text has the form of a payout reference of any batch. */
export function isItemReference(text: string): boolean {
  return ITEM_REFERENCE.test(text.trim());
}

/** @returns the payout's id, or null when the text is not a reference of the batch */
export function readItemReference(batchId: number, text: string): number | null {
  const [, batch, payout] = ITEM_REFERENCE.exec(text.trim()) ?? [];
  return batch !== undefined && Number(batch) === batchId ? Number(payout) : null;
}
