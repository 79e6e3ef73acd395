import type { EmailCategory, EmailKind, EmailTemplate } from '@affkit/protocol';
import type { PayoutDetails } from '../domain/payout-details.ts';
import type { PayoutProblem } from '../domain/payout-problem.ts';

/** The data that is stored with each kind of email. All other data is read when the email is sent. */
export interface EmailData {
  readonly password_reset: null;
  readonly member_invitation: { readonly memberId: number };
  readonly partner_invitation: PartnerData;
  readonly application_received: PartnerData;
  readonly address_confirmation: PartnerData;
  readonly application_approved: PartnerData & {
    /** Whether the email address is unconfirmed, so it may belong to somebody else. */
    readonly isUnverified: boolean;
  };
  readonly application_rejected: PartnerData & { readonly reason: string | null };
  readonly review_task: null;
  readonly review_digest: null;
  readonly payouts_proposed: { readonly payoutRunId: number };
  readonly payout_problem: {
    readonly batchId: number;
    readonly problem: PayoutProblem;
    /** The provider's reply about the first payout that has the problem. */
    readonly reason: string | null;
  };
  readonly webhook_failing: {
    readonly endpointId: number;
    /** The number of webhooks that could not be delivered. Null if the endpoint was paused. */
    readonly failed: number | null;
  };
  readonly commission_refunded: CommissionData;
  readonly commission_reversed: CommissionData;
  readonly payout_created: PayoutData;
  readonly payout_paid: PayoutData;
  readonly payout_failed: PayoutData;
  readonly payout_details_changed: PartnerData & {
    /** Empty when the details were deleted. */
    readonly changedFields: readonly (keyof PayoutDetails)[];
    readonly changedAt: number;
  };
  readonly monthly_summary: PartnerData & {
    /** The month, such as `2026-01`. */
    readonly month: string;
  };
  /** A test email shows an example of the email `template`. */
  readonly test: { readonly template: EmailTemplate };
}

interface PartnerData {
  readonly partnerId: number;
}

interface CommissionData extends PartnerData {
  /** Absent from emails that an earlier version of Affkit stored. */
  readonly commissionId?: number;
  readonly deductionCents: number;
  readonly currency: string;
}

interface PayoutData extends PartnerData {
  readonly payoutId: number;
  readonly amountCents: number;
  readonly currency: string;
  /** The reference of a paid payout, or the reason why a payout failed. */
  readonly detail: string | null;
}

/** The emails that a recipient can turn off, and the category of each. */
const CATEGORIES: Partial<Record<EmailKind, EmailCategory>> = {
  review_task: 'review_tasks',
  review_digest: 'review_tasks',
  payouts_proposed: 'review_tasks',
  payout_problem: 'review_tasks',
  webhook_failing: 'review_tasks',
  commission_refunded: 'commission_changes',
  commission_reversed: 'commission_changes',
  monthly_summary: 'monthly_summary',
};

/** @returns null if emails of the kind cannot be turned off */
export function categoryOf(kind: EmailKind): EmailCategory | null {
  return CATEGORIES[kind] ?? null;
}
