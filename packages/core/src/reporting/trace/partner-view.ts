import type { EventTimeline } from '../../storage/reads/timeline.ts';
import type { ProcessorEventRow } from '../../storage/stripe/processor-events.ts';
import type { StepKind, TraceStep } from './trace-step.ts';

interface TraceSteps {
  readonly customer: Readonly<Record<string, unknown>>;
  readonly steps: readonly TraceStep[];
}

/**
 * The customer fields that a partner may see. None of them identifies the customer as a person or as a user of the
 * advertiser.
 */
const CUSTOMER_FIELDS = [
  'customer_status',
  'click_id',
  'partner_id',
  'last_click_at',
  'signup_date',
  'first_purchase_date',
];

/** The fields of a customer who belongs to another partner. */
const HIDDEN_CUSTOMER = {
  click_id: null,
  partner_id: null,
  last_click_at: null,
  signup_date: null,
  first_purchase_date: null,
};

const DECISION_FIELDS = [
  'days_since_click',
  'window_days',
  'recurring_months',
  'first_commission_date',
  'earns_through',
  'min_sale_cents',
];

/** The fields of `detail` that a partner may see, by kind of step. All other fields are removed. */
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
    ...DECISION_FIELDS,
  ],
  no_commission: ['sale_date', 'last_click_at', 'first_commission_id', ...DECISION_FIELDS],
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

interface TracedEvents extends EventTimeline {
  readonly processorEvents: readonly ProcessorEventRow[];
}

/**
 * Removes the sales of other partners, and the notes and webhooks about these sales. The sales of a customer who was
 * imported from another affiliate service may belong to several partners. If the customer belongs to another partner,
 * also removes everything that is not about the reader's own sales, whose ids are `saleIds`.
 */
export function hideOtherEvents(
  events: TracedEvents,
  { isOwnCustomer, saleIds }: { readonly isOwnCustomer: boolean; readonly saleIds: readonly number[] },
): TracedEvents {
  const own = new Set(saleIds);
  const isShown = ({ sale_id }: { readonly sale_id: number | null }) =>
    sale_id === null ? isOwnCustomer : own.has(sale_id);
  return {
    ...events,
    ...(!isOwnCustomer && { clicks: [], areClicksRemoved: false, leads: [], notesElsewhere: [] }),
    sales: events.sales.filter(({ id }) => own.has(id)),
    notes: events.notes.filter(isShown),
    processorEvents: events.processorEvents.filter(isShown),
  };
}

/**
 * Removes everything that a partner must not see: customer key, email, page URLs, amounts of sales, and other
 * partners. A transaction id is kept only if the partner searched for it.
 */
export function hideFromPartner(
  { customer, steps }: TraceSteps,
  partnerId: number,
  query: { readonly saleId: number | null; readonly transactionId: string | undefined },
): TraceSteps {
  return {
    customer:
      customer['partner_id'] === partnerId
        ? pickFields(customer, CUSTOMER_FIELDS)
        : { customer_status: customer['customer_status'], ...HIDDEN_CUSTOMER },
    steps: steps.map((step) => {
      const { detail } = step;
      const isQueried =
        step.step === 'sale' && query.transactionId !== undefined && detail['id'] === query.saleId;
      return {
        ...step,
        detail: {
          ...pickFields(detail, DETAIL_FIELDS[step.step]),
          ...(step.step === 'click' && { by_own_link: detail['partner_id'] === partnerId }),
          ...(isQueried && { transaction_id: query.transactionId }),
        },
      };
    }),
  };
}

function pickFields(
  fields: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}
