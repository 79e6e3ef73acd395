import type { PartnerProgramStatus } from '../storage/database/schema-programs.ts';

/** A partner of another affiliate service. */
export interface PastPartner {
  readonly name: string;
  readonly email: string;
  readonly status: PartnerProgramStatus;
  /** The codes of the partner's links, so that these links keep working. */
  readonly codes: readonly string[];
}

/** A customer whom a partner of another affiliate service has referred. */
export interface PastCustomer {
  /** Identifies the customer in the other service. Each reference is recorded once. */
  readonly ref: string;
  /** The id that the advertiser's backend sends with sales. */
  readonly key: string | null;
  readonly email: string | null;
  readonly partnerEmail: string;
  /** The code of the link that the customer used, or null when unknown. */
  readonly code: string | null;
  readonly signupAt: number | null;
}

export type PastCommissionState = 'pending' | 'approved' | 'paid' | 'rejected' | 'reversed';

/** A commission of another affiliate service, with its sale. */
export interface PastCommission {
  /** The id of the commission in the other service. Each id is recorded once. */
  readonly id: string;
  readonly partnerEmail: string;
  readonly customer: PastCustomer;
  readonly state: PastCommissionState;
  /** Zero when the commission has no sale. */
  readonly saleCents: number;
  readonly saleCurrency: string;
  readonly commissionCents: number;
  readonly currency: string;
  readonly earnedAt: number;
  /** When a pending commission becomes payable. If null, the commission waits for the approval of a user. */
  readonly dueAt: number | null;
  readonly paidAt: number | null;
  /** Commissions that were paid together have the same reference. */
  readonly payoutRef: string | null;
  /** Ids of the payment at the payment processor. */
  readonly paymentRefs: readonly string[];
  readonly subscriptionId: string | null;
}

export type PastRecord =
  | { readonly kind: 'partner'; readonly partner: PastPartner }
  | { readonly kind: 'customer'; readonly customer: PastCustomer }
  | { readonly kind: 'commission'; readonly commission: PastCommission };

/** What happened to a record. `note` says which part of the record could not be recorded. */
export type PastRecordOutcome =
  | {
      readonly outcome: 'imported';
      readonly note: string | null;
      /** Whether the customer of a commission was new, and was therefore stored too. */
      readonly hasNewCustomer?: boolean;
    }
  | { readonly outcome: 'existing'; readonly note: string | null }
  | { readonly outcome: 'skipped'; readonly reason: string };

/** Records a batch. @returns an outcome for each record, in order */
export type RecordBatch = (records: readonly PastRecord[]) => Promise<PastRecordOutcome[]>;
