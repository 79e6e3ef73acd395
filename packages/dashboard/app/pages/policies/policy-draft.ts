import * as messages from '#messages/policies.ts';
import type { Policy } from '../../api/types.ts';
import { toInput } from '../../format/amount-input.ts';
import { CHOOSE_PARTNER, UNKNOWN_PARTNER } from '../../ui/partner-field.tsx';
import {
  type CommissionDraft,
  type CommissionErrors,
  checkCommission,
  commissionBody,
} from './commission-draft.ts';

const MAX_MONTHS = 1200;

/** The fields of a policy in the form. */
export interface PolicyDraft extends CommissionDraft {
  readonly productId: string;
  readonly partnerId: string;
  readonly renewals: 'all' | 'first' | 'months';
  readonly months: string;
}

export function policyDraftOf(policy: Policy | null, currency: string): PolicyDraft {
  const months = policy?.recurring_months ?? null;
  return {
    type: policy?.type ?? 'percent',
    rate: policy?.rate === undefined ? '20' : String(policy.rate),
    amount: toInput(policy?.amount_cents ?? 1000, currency),
    productId: policy?.product_id ?? '',
    partnerId: policy?.partner_id ? String(policy.partner_id) : '',
    renewals: months === null ? 'all' : months === 0 ? 'first' : 'months',
    months: months === null || months === 0 ? '12' : String(months),
  };
}

/** Error messages by field. */
export type DraftErrors = CommissionErrors & Readonly<Partial<Record<'months' | 'partner', string>>>;

export function checkPolicyDraft(draft: PolicyDraft, currency: string): DraftErrors {
  const months = Number(draft.months);
  const isMonthsValid = Number.isInteger(months) && months >= 1 && months <= MAX_MONTHS;
  return {
    ...checkCommission(draft, currency),
    ...(draft.partnerId === UNKNOWN_PARTNER && { partner: CHOOSE_PARTNER }),
    ...(draft.renewals === 'months' && !isMonthsValid && { months: messages.monthsWrong }),
  };
}

/** Returns the body of a request that creates the policy. */
export function policyBodyOf(draft: PolicyDraft, currency: string): object {
  return {
    ...commissionBody(draft, currency),
    ...(draft.productId.trim() !== '' && { product_id: draft.productId.trim() }),
    ...(draft.partnerId !== '' && { partner_id: Number(draft.partnerId) }),
    recurring_months: { all: null, first: 0, months: Number(draft.months) }[draft.renewals],
  };
}
