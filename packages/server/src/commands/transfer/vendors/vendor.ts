import type { PastCommissionState, PastPartner } from '@affkit/core';

/**
 * What a column contains. These names need an explanation:
 *
 * - `partner_id`, `partner_email`, `partner_code`: the partner to whom a link, customer, or commission
 *   belongs.
 * - `key`: the customer id that the advertiser's backend sends with sales.
 * - `is_paid`: whether an approved commission was paid, such as `true` or `no`.
 * - `payment`: an id of the payment at the payment processor.
 * - `unit`: what the amount counts, such as `points`.
 * - `stage`: the stage of the customer, such as `visitor`.
 *
 * A row is not imported if `Vendor.ignored` contains its `unit` or its `stage`.
 */
export type Field =
  | 'id'
  | 'name'
  | 'first_name'
  | 'last_name'
  | 'email'
  | 'status'
  | 'code'
  | 'partner_id'
  | 'partner_email'
  | 'partner_code'
  | 'key'
  | 'customer_id'
  | 'customer_email'
  | 'signup_at'
  | 'amount'
  | 'currency'
  | 'sale_amount'
  | 'sale_currency'
  | 'earned_at'
  | 'due_at'
  | 'paid_at'
  | 'is_paid'
  | 'payout'
  | 'payment'
  | 'subscription'
  | 'unit'
  | 'stage';

export const FILE_KINDS = ['partners', 'links', 'customers', 'commissions', 'payouts'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** One kind of CSV file of a vendor. */
export interface FileTable {
  /** A file is of this kind if its name contains one of these words. */
  readonly names: readonly string[];
  /**
   * The names of the columns, the preferred one first. Names are compared in snake case: `Partner email`,
   * `partnerEmail`, and `partner.email` all match `partner_email`. `#` stands for a number.
   */
  readonly columns: Partial<Readonly<Record<Field, readonly string[]>>>;
}

/** An affiliate service, and how to read its files. */
export interface Vendor {
  /** The name in the command line, and in transaction ids. */
  readonly name: string;
  readonly title: string;
  /** The public pages that name the columns. */
  readonly sources: readonly string[];
  /** `minor`: amounts are in the smallest unit of their currency, such as cents. */
  readonly amounts: 'minor' | 'major';
  readonly files: Partial<Readonly<Record<FileKind, FileTable>>>;
  /** The status in Affkit for each status of the vendor. A partner with any other status becomes pending. */
  readonly partnerStatuses: Readonly<Record<string, PastPartner['status']>>;
  /** The state in Affkit for each status of the vendor. A commission with any other status is skipped. */
  readonly commissionStates: Readonly<Record<string, PastCommissionState>>;
  /** The statuses of payouts that were paid. */
  readonly paidStatuses: readonly string[];
  /** Values of `unit` and `stage` whose rows are not imported, each with the reason. */
  readonly ignored?: Readonly<Record<string, string>>;
}
