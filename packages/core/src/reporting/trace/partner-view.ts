import type { Step, StepKind } from './trace-step.ts';

interface Story {
  readonly customer: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
}

/** Of the customer: nothing by which the advertiser, or the customer itself, is named. */
const CUSTOMER_FIELDS = [
  'customer_status',
  'click_id',
  'partner_id',
  'last_click_at',
  'signup_date',
  'first_purchase_date',
];

const DECISION = [
  'days_since_click',
  'window_days',
  'recurring_months',
  'first_commission_date',
  'earns_through',
];

/** What a partner is told of each kind of step. Whatever is not named here, it is not told. */
const DETAIL_FIELDS: Readonly<Record<StepKind, readonly string[]>> = {
  click: [],
  lead: ['lead_date'],
  sale: ['sale_date'],
  commission: [
    'id',
    'amount_cents',
    'deducted_cents',
    'adjusted_cents',
    'currency',
    'amount',
    'status',
    'releasable_at',
    'repaired',
    'first_commission_id',
    ...DECISION,
  ],
  no_commission: ['sale_date', 'last_click_at', 'first_commission_id', ...DECISION],
  approval: ['commission_id', 'releasable_at'],
  rejection: ['commission_id', 'releasable_at'],
  refund: [
    'id',
    'commission_id',
    'commission_cents',
    'deduction_cents',
    'clamp_cents',
    'payout_lowered_cents',
    'was_paid',
    'currency',
    'refund_date',
  ],
  adjustment: ['id', 'commission_id', 'amount_cents', 'currency'],
  payout: ['id', 'amount_cents', 'currency', 'status', 'paid_at', 'chain_position', 'chain_hash'],
  ledger: [
    'id',
    'commission_id',
    'debit_account',
    'credit_account',
    'amount_cents',
    'currency',
    'chain_position',
    'chain_hash',
  ],
  webhook: ['outcome', 'outcome_reason', 'event_date'],
  note: [],
  missing: ['has_lead'],
};

/**
 * The story as the customer's partner may read it: no customer_key, e-mail, page, amount of a sale or other partner,
 * and of transaction ids only the one that it asked by.
 */
export function hideFromPartner(
  { customer, steps }: Story,
  partnerId: number,
  asked: { readonly saleId: number | null; readonly transactionId: string | undefined },
): Story {
  return {
    customer: pick(customer, CUSTOMER_FIELDS),
    steps: steps.map((step) => {
      const { detail } = step;
      const isAsked = step.step === 'sale' && asked.saleId !== null && detail['id'] === asked.saleId;
      return {
        ...step,
        detail: {
          ...pick(detail, DETAIL_FIELDS[step.step]),
          ...(step.step === 'click' && { by_own_link: detail['partner_id'] === partnerId }),
          ...(isAsked && { transaction_id: asked.transactionId }),
        },
      };
    }),
  };
}

function pick(fields: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}
