/** What every result tells of how it came about. */
interface Delivery {
  /** Names the request in the server's log. */
  readonly requestId: string | undefined;
  /** Requests that it took. */
  readonly attempts: number;
}

/** The event that test mode made in place of a real one. */
export interface TestEvent {
  readonly eventId: number;
  readonly programId: number;
}

/** The sale is recorded now. Fields are absent where the server's reply could not be read. */
export interface SaleRecorded extends Delivery {
  readonly status: 'recorded';
  readonly saleId?: number;
  /** null: the sale stands, and earns no commission. */
  readonly commissionId?: number | null;
  /** Why there is no commission: `window_expired`, `recurring_ended`, or what a later server adds. */
  readonly reason?: 'window_expired' | 'recurring_ended' | (string & {});
  /** In test mode alone. */
  readonly testEvent?: TestEvent;
}

/** The `transaction_id` was recorded before: by an earlier call, by a retry of this one, or by somebody else. */
export interface SaleDuplicate extends Delivery {
  readonly status: 'duplicate';
  /**
   * False: another program holds the id, and **this sale is not recorded**; it is logged as an error and given to
   * the hook `onTransactionIdTaken`. Absent: the server did not say.
   */
  readonly ownedByCaller?: boolean;
  readonly saleId?: number;
  readonly commissionId?: number | null;
  /** Did the recorded sale say the same? If false, a warning is logged. */
  readonly identical?: boolean;
}

/**
 * The event is on disk and will be sent; only a client with a spool answers so. What comes of it is told to the
 * spool's own hooks.
 */
export interface Queued {
  readonly status: 'queued';
  /** The name that it is kept under. */
  readonly spoolId: string;
}

/** The server has the sale. */
export type SaleDelivered = SaleRecorded | SaleDuplicate;
export type SaleResult = SaleDelivered | Queued;

/** The refund was taken. Fields are absent where the server's reply could not be read. */
export interface RefundRecorded extends Delivery {
  readonly status: 'recorded';
  /** `no_commission`: the sale had earned none, so nothing was deducted. */
  readonly outcome?: 'reversed' | 'refunded' | 'no_commission';
  /** In major units (dollars), as the server gives it: for display, not for sums. */
  readonly deductionAmount?: number;
  readonly commissionId?: number;
}

/**
 * The commission had ended before (reversed, refunded or rejected), so the server changed nothing. That is what a
 * repeat finds, and also a second partial refund, for which a warning is logged.
 */
export interface RefundDuplicate extends Delivery {
  readonly status: 'duplicate';
  readonly outcome: 'skipped';
  readonly reason?: string;
  readonly commissionId?: number;
}

/** The server has the refund. */
export type RefundDelivered = RefundRecorded | RefundDuplicate;
export type RefundResult = RefundDelivered | Queued;

/** The customer is a lead now. */
export interface LeadRecorded extends Delivery {
  readonly status: 'recorded';
  /** In test mode alone. */
  readonly testEvent?: TestEvent;
}

/** The customer was a lead, or beyond, already. */
export interface LeadDuplicate extends Delivery {
  readonly status: 'duplicate';
}

/** The server has the lead. */
export type LeadDelivered = LeadRecorded | LeadDuplicate;
export type LeadResult = LeadDelivered | Queued;

/** What the server's answer to each call comes to. */
export interface DeliveredOf {
  readonly sale: SaleDelivered;
  readonly refund: RefundDelivered;
  readonly lead: LeadDelivered;
}
