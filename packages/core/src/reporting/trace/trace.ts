import { isoTime, isoTimeOrNull } from '../../domain/calendar.ts';
import type { Runtime } from '../../runtime.ts';
import { listModelChanges } from '../../storage/accounts/audit-log.ts';
import {
  type FirstCommission,
  findFirstCommission,
  findImportedCommission,
} from '../../storage/money/commissions.ts';
import type { ProgramAccount } from '../../storage/programs/programs.ts';
import {
  type EventTimeline,
  findEventTimeline,
  findTracedCustomer,
  type TraceQuery,
} from '../../storage/reads/timeline.ts';
import {
  findMoneyTimeline,
  listPolicyVersions,
  type MoneyTimeline,
} from '../../storage/reads/timeline-money.ts';
import { listProcessorEvents } from '../../storage/reads/timeline-processor.ts';
import { TraceListReader } from '../../storage/reads/trace-list-reader.ts';
import type { CustomerRow } from '../../storage/tracking/customers.ts';
import { decisionSteps } from './commission-steps.ts';
import {
  clickSteps,
  cutSteps,
  leadSteps,
  missingSteps,
  noteSteps,
  removedSteps,
  saleSteps,
} from './event-steps.ts';
import {
  adjustmentStep,
  commissionStatusSteps,
  ledgerSteps,
  payoutSteps,
  type RefundCause,
  refundStep,
  refundsWithoutCommissionSteps,
} from './money-steps.ts';
import { hideFromPartner, hideOtherEvents } from './partner-view.ts';
import { PolicyHistory } from './policy-candidates.ts';
import { processorSteps } from './processor-steps.ts';
import type { TraceStep } from './trace-step.ts';

/** All events and decisions of one customer, oldest first. */
export interface Trace {
  readonly customer: Readonly<Record<string, unknown>>;
  readonly steps: readonly (Omit<TraceStep, 'order'> & { readonly at: string })[];
}

/**
 * Explains why a partner was or was not credited for a customer. The trace lists every decision about the
 * customer, and the rule behind it, in the order in which the decisions were recorded. It does not contain
 * rejected requests. If there are more than 1,000 rows of a kind, only the first 500 and the last 500 are
 * read. A step of the trace mentions the missing rows.
 *
 * @param partnerId the partner who reads the trace, or null for the advertiser. Partners find only their own
 * customers and sales, and see nothing about other partners.
 * @returns null when no customer matches the query
 */
export async function readTrace(
  runtime: Pick<Runtime, 'engine' | 'now'>,
  program: ProgramAccount,
  query: TraceQuery,
  partnerId: number | null,
): Promise<Trace | null> {
  const { read } = runtime.engine;
  const traced = await findTracedCustomer(runtime.engine, program, query);
  if (!traced) return null;
  const { customer, sale: asked } = traced;
  const saleId = asked?.id ?? null;
  const isOwnCustomer = partnerId === null || customer.partner_id === partnerId;
  if (!isOwnCustomer && asked?.partnerId !== partnerId) return null;
  const eventLists = new TraceListReader();
  const moneyLists = new TraceListReader();
  const timeline = await findEventTimeline(read, eventLists, customer, saleId);
  const saleIds = timeline.sales
    .filter((sale) => partnerId === null || sale.partner_id === partnerId)
    .map((sale) => sale.id);
  const money = await findMoneyTimeline(read, moneyLists, customer, saleIds);
  const processorEvents = await listProcessorEvents(read, eventLists, customer, saleIds);
  const allEvents = { ...timeline, processorEvents };
  const events = partnerId === null ? allEvents : hideOtherEvents(allEvents, { isOwnCustomer, saleIds });
  const policies = await listPolicyVersions(read, program.id);
  const models = {
    current: program.attributionModel,
    changes: await listModelChanges(read, program.id),
  };
  const facts = {
    ...money,
    policies,
    policyHistory: new PolicyHistory(policies),
    programCurrency: program.currency,
    clicks: allEvents.clicks,
    notes: events.notes,
    firstOfEnded: await findFirstOfEnded(read, program, customer.id, events.sales),
  };
  const steps = [
    ...removedSteps(events, customer.created_at),
    ...clickSteps({ ...events, sales: allEvents.sales }, models),
    ...leadSteps(events),
    ...processorSteps(events.processorEvents),
    ...saleSteps(events),
    ...noteSteps(events),
    ...events.sales.flatMap((sale) => decisionSteps(sale, facts)),
    ...moneySteps(events, money),
    // Other partners' sales are hidden, but the trace must not say that the customer has no sale.
    ...missingSteps(allEvents, runtime.now()),
    ...cutSteps([...(isOwnCustomer ? eventLists.cuts : []), ...moneyLists.cuts]),
  ].sort((a, b) => a.order - b.order);
  const trace = { customer: describeCustomer(customer), steps };
  const shown =
    partnerId === null
      ? trace
      : hideFromPartner(trace, partnerId, { saleId, transactionId: query.transactionId });
  return {
    customer: shown.customer,
    steps: shown.steps.map(({ order, ...step }) => ({ at: isoTime(order), ...step })),
  };
}

/**
 * For each renewal after the recurring period, finds the first commission of its subscription. The keys are
 * the sale ids of the renewals.
 */
async function findFirstOfEnded(
  db: Runtime['engine']['read'],
  program: ProgramAccount,
  customerId: number,
  sales: EventTimeline['sales'],
): Promise<ReadonlyMap<number, FirstCommission>> {
  const firstCommissions = new Map<number, FirstCommission>();
  for (const sale of sales) {
    const {
      id,
      subscription_id,
      no_commission_reason,
      created_at,
      sale_at: upTo,
      partner_id: partnerId,
    } = sale;
    if (subscription_id === null || no_commission_reason !== 'recurring_ended') continue;
    const findFirst = (asOf: number | null) =>
      findFirstCommission(db, program, customerId, subscription_id, { asOf, upTo });
    // If the first payment was reported after the renewal, its commission did not exist when the renewal was recorded.
    const first =
      (await findFirst(created_at)) ??
      (await findFirst(null)) ??
      (partnerId === null
        ? null
        : await findImportedCommission(db, program.id, { customerId, partnerId, upTo }));
    if (first) firstCommissions.set(id, first);
  }
  return firstCommissions;
}

function moneySteps({ sales, notes }: EventTimeline, money: MoneyTimeline): TraceStep[] {
  const duplicates = new Set(
    notes.filter(({ reason }) => reason === 'duplicate_sale_rejected').map(({ sale_id }) => sale_id),
  );
  return [
    ...money.commissions.flatMap((row) => commissionStatusSteps(row, duplicates.has(row.sale_id))),
    ...money.refunds.map((refund) => refundStep(refund, money, sales, causeOf(refund, notes))),
    ...refundsWithoutCommissionSteps(money, sales),
    ...money.adjustments.map((row) => adjustmentStep(row, money, isOfDuplicate(row, money, notes))),
    ...payoutSteps(money),
    ...ledgerSteps(money),
  ];
}

/** Determines the cause of a refund from the trace notes of its sale. */
function causeOf(refund: MoneyTimeline['refunds'][number], notes: EventTimeline['notes']): RefundCause {
  if (refund.refund_amount_cents === null && isEntryOfMerge(refund, notes)) return 'duplicate';
  const about = notes.filter(({ sale_id }) => sale_id === refund.sale_id);
  // If a dispute is lost a second time, the refund for this loss has no id, because the refund for the first loss
  // already has the dispute's id.
  const isDispute = about.some(
    ({ reason, created_at, detail }) =>
      reason === 'dispute_lost' &&
      refund.source === 'processor' &&
      (refund.refund_id === null ? created_at === refund.created_at : detail === refund.refund_id),
  );
  return isDispute ? 'dispute' : 'refund';
}

/** Whether an adjustment was made by the merge of two sales, not by the advertiser. */
function isOfDuplicate(
  { commission_id, amount_cents, created_at }: MoneyTimeline['adjustments'][number],
  { commissions }: Pick<MoneyTimeline, 'commissions'>,
  notes: EventTimeline['notes'],
): boolean {
  const commission = commissions.find(({ id }) => id === commission_id);
  if (!commission || amount_cents > 0) return false;
  return isEntryOfMerge({ sale_id: commission.sale_id, created_at }, notes);
}

/**
 * Whether an entry was made by the merge that reversed the commission of its sale. The merge stores all its
 * entries with the same time.
 */
function isEntryOfMerge(
  entry: { readonly sale_id: number; readonly created_at: number },
  notes: EventTimeline['notes'],
): boolean {
  return notes.some(
    ({ reason, sale_id, created_at }) =>
      reason === 'duplicate_sale_reversed' && sale_id === entry.sale_id && created_at === entry.created_at,
  );
}

function describeCustomer(customer: CustomerRow): Record<string, unknown> {
  return {
    customer_status: customer.status,
    click_id: customer.click_id,
    customer_key: customer.customer_key,
    customer_key_state: customer.key_state,
    email: customer.email_masked,
    partner_id: customer.partner_id,
    last_click_at: isoTime(customer.last_click_at),
    signup_date: isoTimeOrNull(customer.signup_at),
    first_purchase_date: isoTimeOrNull(customer.first_purchase_at),
  };
}
