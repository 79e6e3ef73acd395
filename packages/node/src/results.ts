/** Fields that describe how an event was delivered. */
interface DeliveryInfo {
  /** The id of the request in the server's log. Undefined if the response had no such header. */
  readonly requestId: string | undefined;
  /** Number of HTTP requests that were sent. */
  readonly attempts: number;
}

/** The test event that the server created because `test_mode` was set. No real event was recorded. */
export interface TestEvent {
  readonly eventId: number;
  readonly programId: number;
}

/** The sale was recorded by this call. `saleId` and `commissionId` are absent in test mode. */
export interface SaleRecorded extends DeliveryInfo {
  readonly status: 'recorded';
  readonly saleId?: number;
  /** Null if the sale was recorded without a commission; `reason` then says why. */
  readonly commissionId?: number | null;
  /** Why the sale earns no commission. Newer servers may add reasons. */
  readonly reason?: 'window_expired' | 'recurring_ended' | 'below_min_sale' | 'zero_amount' | (string & {});
  /** Only present in test mode. */
  readonly testEvent?: TestEvent;
}

/** The `transaction_id` is already recorded: by an earlier call, an earlier attempt of this call or another program. */
export interface SaleDuplicate extends DeliveryInfo {
  readonly status: 'duplicate';
  /**
   * Whether the existing sale belongs to your program. If false, another program uses this `transaction_id`
   * and **your sale is not recorded**. The client then logs an error and calls the hook
   * `onTransactionIdTaken`. A spool moves the sale to `dead/`, and an outbox keeps its row. Absent if the server sends
   * no error codes.
   */
  readonly ownedByCaller?: boolean;
  readonly saleId?: number;
  readonly commissionId?: number | null;
  /** Whether the existing sale has the same data as this call. If false, the client logs a warning. */
  readonly identical?: boolean;
}

/**
 * The event is on disk and will be sent. Only a client with a spool returns this. The spool's callbacks
 * `onDelivered` and `onDead` report the later outcome.
 */
export interface Queued {
  readonly status: 'queued';
  /** The file name of the event in the spool. */
  readonly spoolId: string;
}

/**
 * No approved partner of this program referred the customer, so the server recorded nothing. This is the
 * result for most customers. With the option `throwOnUnattributed`, the call throws instead.
 */
export interface Unattributed extends DeliveryInfo {
  readonly status: 'unattributed';
  /** The error code of the server, e.g. `sale_customer_not_found`. */
  readonly code: string;
}

/** The result of a sale that the server has answered. */
export type SaleDelivered = SaleRecorded | SaleDuplicate | Unattributed;
/** The result of `affkit.sale()`. Check `status` first. */
export type SaleResult = SaleDelivered | Queued;

/** The refund was recorded by this call. */
export interface RefundRecorded extends DeliveryInfo {
  readonly status: 'recorded';
  /**
   * The change of the commission. `reversed`: deducted in full. `refunded`: deducted in proportion to the
   * refunded amount. `no_commission`: the sale had earned no commission, so nothing was deducted.
   */
  readonly outcome?: 'reversed' | 'refunded' | 'no_commission';
  /**
   * The amount deducted from the commission. Unlike all other amounts it is in major units with decimals (4.5
   * is $4.50). Use it for display only, never for calculations.
   */
  readonly deductionAmount?: number;
  readonly commissionId?: number;
  /** Only present in test mode. */
  readonly testEvent?: TestEvent;
}

/**
 * The commission was already reversed, refunded or rejected, so the server changed nothing. For example, a second
 * refund without a `refund_id` has this result. If that refund is partial, the client logs a warning.
 */
export interface RefundDuplicate extends DeliveryInfo {
  readonly status: 'duplicate';
  readonly outcome: 'skipped';
  readonly reason?: string;
  /** The reason, and what you can do. */
  readonly message?: string;
  readonly commissionId?: number;
}

/** The result of a refund that the server has answered. */
export type RefundDelivered = RefundRecorded | RefundDuplicate;
/** The result of `affkit.refund()`. Check `status` first. */
export type RefundResult = RefundDelivered | Queued;

/** This call recorded the customer as a lead. */
export interface LeadRecorded extends DeliveryInfo {
  readonly status: 'recorded';
  /** Only present in test mode. */
  readonly testEvent?: TestEvent;
}

/** The customer is already a lead or has already bought. */
export interface LeadDuplicate extends DeliveryInfo {
  readonly status: 'duplicate';
}

/** The result of a lead that the server has answered. */
export type LeadDelivered = LeadRecorded | LeadDuplicate | Unattributed;
/** The result of `affkit.lead()`. Check `status` first. */
export type LeadResult = LeadDelivered | Queued;

/** The result type of each operation once the server has answered. */
export interface DeliveredByOperation {
  readonly sale: SaleDelivered;
  readonly refund: RefundDelivered;
  readonly lead: LeadDelivered;
}
