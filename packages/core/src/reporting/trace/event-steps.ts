import { type AttributionModel, attributeLaterClick, type CustomerStatus } from '../../domain/attribution.ts';
import { isoTime } from '../../domain/calendar.ts';
import { readSaleLines } from '../../domain/sale-lines.ts';
import type { ModelChange } from '../../storage/accounts/audit-log.ts';
import type { EventTimeline } from '../../storage/reads/timeline.ts';
import type { TraceCut } from '../../storage/reads/trace-list-reader.ts';
import type { TraceStep } from './trace-step.ts';

type TracedClick = EventTimeline['clicks'][number];

type TracedEvents = Pick<EventTimeline, 'clicks' | 'leads' | 'sales'>;

/** The program's current attribution model and all earlier changes. */
export interface ModelHistory {
  readonly current: AttributionModel;
  /** All changes, each with the previous model, oldest first. */
  readonly changes: readonly ModelChange[];
}

/**
 * Returns the steps of clicks. Each step says whether the click changed the customer's partner, according to
 * the attribution model at that time.
 */
export function clickSteps(
  { clicks, leads, sales, areClicksRemoved }: TracedEvents & Pick<EventTimeline, 'areClicksRemoved'>,
  models: ModelHistory,
): readonly TraceStep[] {
  const settledAt = Math.min(...leads.map((row) => row.created_at), ...sales.map((row) => row.created_at));
  let owner: { partnerId: number | null; linkId: number } | null = null;
  const steps: TraceStep[] = [];
  for (const click of clicks) {
    const link = { partnerId: click.partner_id, linkId: click.link_id ?? 0 };
    const status: CustomerStatus = click.created_at > settledAt ? 'lead' : 'click';
    const model = modelAt(models, click.created_at);
    const rule: ClickRule =
      owner !== null
        ? clickRuleOf(owner, link, status, model)
        : areClicksRemoved
          ? CLICK_RULES.afterRemoved
          : CLICK_RULES.first;
    // Without the earlier clicks, the customer's partner is known only under the last-click model.
    const takes = !areClicksRemoved || (status === 'click' && model === 'last_click');
    if ((owner === null && takes) || rule === CLICK_RULES.moved) owner = link;
    steps.push({ order: click.created_at, step: 'click', ...rule, detail: clickDetail(click) });
  }
  return steps;
}

function modelAt({ current, changes }: ModelHistory, at: number): AttributionModel {
  return changes.find((change) => change.at >= at)?.before ?? current;
}

const CLICK_RULES = {
  first: {
    reason: 'click_recorded',
    why: 'This was the customer’s first visit through a partner’s link, so the customer belongs to that partner.',
  },
  afterRemoved: {
    reason: 'click_after_removed_clicks',
    why: 'The customer came through a partner’s link. Earlier clicks are no longer stored, so the trace cannot say whether this click changed the customer’s partner.',
  },
  renewed: {
    reason: 'click_renews_window',
    why: 'The customer came back through a link of the same partner, so the attribution window starts again.',
  },
  moved: {
    reason: 'click_moves_customer',
    why: 'The customer came through another partner’s link before signing up. The program used the last-click model at that time, so the customer now belongs to that partner.',
  },
  firstWins: {
    reason: 'first_click_wins',
    why: 'The customer came through another partner’s link. The program used the first-click model at that time, so the customer still belongs to the first partner.',
  },
  settled: {
    reason: 'partner_settled_by_lead',
    why: 'The customer came through another partner’s link. After the sign-up or the first sale, the customer’s partner no longer changes.',
  },
} as const;

type ClickRule = (typeof CLICK_RULES)[keyof typeof CLICK_RULES];

function clickRuleOf(
  owner: { readonly partnerId: number | null; readonly linkId: number },
  link: { readonly partnerId: number | null; readonly linkId: number },
  status: CustomerStatus,
  model: AttributionModel,
): ClickRule {
  if (link.partnerId === owner.partnerId) return CLICK_RULES.renewed;
  const visited = { partnerId: link.partnerId ?? 0, linkId: link.linkId };
  const attributed = attributeLaterClick({ ...owner, status }, visited, model);
  if (attributed.linkId === link.linkId) return CLICK_RULES.moved;
  return status === 'click' ? CLICK_RULES.firstWins : CLICK_RULES.settled;
}

function clickDetail(click: TracedClick): Record<string, unknown> {
  return {
    id: click.id,
    partner_id: click.partner_id,
    link_id: click.link_id,
    page_url: click.page_url,
    referrer_url: click.referrer_url,
    click_date: isoTime(click.click_at),
  };
}

const LEAD_RULES = {
  browser:
    'The sign-up was reported by a browser. A customer_key from a browser is only claimed, so a report from the advertiser’s server can override it.',
  server:
    'The sign-up was reported by the advertiser’s server. A customer_key from the server is verified, so it never moves to another customer.',
} as const;

/** Returns a step that says that the customer's first clicks were removed. */
export function removedSteps(
  { areClicksRemoved }: Pick<EventTimeline, 'areClicksRemoved'>,
  createdAt: number,
): TraceStep[] {
  if (!areClicksRemoved) return [];
  return [
    {
      order: createdAt,
      step: 'note',
      reason: 'clicks_removed',
      why: 'The customer’s first clicks are no longer stored. They were removed when the customer had no lead or sale and the attribution window had ended. If they were archived, the operator of the service can import them again.',
      detail: { sale_id: null, detail: 'clicks' },
    },
  ];
}

export function leadSteps({ leads }: Pick<EventTimeline, 'leads'>): TraceStep[] {
  return leads.map((lead) => ({
    order: lead.created_at,
    step: 'lead',
    reason: `lead_from_${lead.source}`,
    why: `${LEAD_RULES[lead.source]} After the sign-up, the customer’s partner no longer changes.`,
    detail: { id: lead.id, customer_key: lead.customer_key, lead_date: isoTime(lead.lead_at) },
  }));
}

const NOTE_TEXTS: Readonly<Record<string, string>> = {
  customer_key_claim_displaced:
    'A browser had claimed this customer_key for another click. The advertiser’s server then sent the key together with this click, so the key now belongs to this customer and is verified.',
  customer_key_claim_replaced:
    'A browser had claimed a different customer_key for this click. The advertiser’s server then sent this key, which replaced it.',
  customer_key_wins_over_click_id:
    'The customer_key and the click_id of a request belonged to different customers. The key is verified, so the event was recorded for the key’s customer.',
  customer_key_claim_passed_over:
    'The customer_key and the click_id of a request belonged to different customers. A browser had only claimed the key, and the click has its own verified key, so the event was recorded for the click’s customer.',
  customer_key_only_claimed:
    'The sale named only a customer_key that a browser had claimed, so nothing proves that this customer visited through the link. The commission is not paid until the advertiser approves it, or the advertiser’s server sends the key together with this click.',
  customer_key_confirmed:
    'The advertiser’s server sent the customer_key together with this click. The commission no longer needs an approval; its hold period applies.',
  commission_owed:
    'The sale was recorded, but its commission could not be stored with it. A repair job creates the commission later, on the terms that applied at the time of the sale.',
  renewal_recognized_later:
    'When the payment was recorded, nothing showed that it renews a subscription that earns commissions. A later report showed it, so the commission was created then.',
  sale_recorded_twice:
    'The same payment was recorded as two sales, because its ids were not known to belong together. Only this sale counts.',
  duplicate_sale_rejected:
    'The same payment was recorded as two sales, because its ids were not known to belong together. The other sale counts, so the commission of this sale was rejected.',
  duplicate_sale_nothing_to_reject:
    'The same payment was recorded as two sales, because its ids were not known to belong together. The other sale counts. This sale had no commission to reject.',
  duplicate_sale_reversed:
    'The same payment was recorded as two sales, because its ids were not known to belong together. The other sale counts. The commission of this sale was already paid, refunded or part of a payout, so it was reversed.',
  // Earlier versions of Affkit stored this note.
  duplicate_sale_not_rejected:
    'The same payment was recorded as two sales, because its ids were not known to belong together. The other sale counts. The commission of this sale was already paid, refunded or part of a payout, so it was left unchanged.',
  commission_disputed:
    'The customer disputed the payment. Until the dispute ends, the commission is on hold and no payout includes it.',
  commission_released:
    'The dispute of the payment ended in the advertiser’s favor, so it no longer keeps the commission on hold.',
  dispute_lost:
    'The advertiser lost the dispute of the payment. As after a refund, the disputed share of the commission was deducted.',
  customer_imported:
    'The customer was imported from another affiliate service, which says that this partner referred the customer. Clicks were not imported.',
  sale_imported:
    'The sale was imported from another affiliate service. Its commission has the amount and the state that it had there.',
  transaction_id_taken_elsewhere:
    'Another workspace of this service already uses the payment’s id as a transaction id, so the sale was recorded with a different transaction id.',
};

const NOTES_ELSEWHERE: Readonly<Record<string, string>> = {
  customer_key_claim_displaced:
    'A browser had claimed a customer_key for this click. The advertiser’s server then sent that key together with another click, so the key now belongs to the other customer.',
  customer_key_wins_over_click_id:
    'The advertiser’s server sent this click_id together with a customer_key that is verified for another customer. The event was recorded for that customer, so this click was not credited.',
};

/**
 * Returns the steps of stored notes. Notes describe decisions that no other row explains, such as key
 * conflicts, commissions that are created later, and duplicates.
 */
export function noteSteps({
  notes,
  notesElsewhere,
}: Pick<EventTimeline, 'notes' | 'notesElsewhere'>): TraceStep[] {
  return [
    ...notes.map((note) => ({ note, reason: note.reason, texts: NOTE_TEXTS })),
    ...notesElsewhere.map((note) => ({ note, reason: `${note.reason}_elsewhere`, texts: NOTES_ELSEWHERE })),
  ].map(({ note, reason, texts }) => ({
    order: note.created_at,
    step: 'note',
    reason,
    why: texts[note.reason] ?? 'The decision was recorded without an explanation.',
    detail: { sale_id: note.sale_id, detail: note.detail },
  }));
}

/** Returns the products from which the commission of a sale was computed, each with the sum of its lines. */
function toTraceProducts(lineItems: string | null) {
  const products = new Map<
    string | null,
    { product_id: string | null } & Record<'amount_cents' | 'tax_cents', number>
  >();
  for (const { productId, amountCents, taxCents } of readSaleLines(JSON.parse(lineItems ?? '[]'))) {
    const sums = products.get(productId);
    products.set(productId, {
      product_id: productId,
      amount_cents: (sums?.amount_cents ?? 0) + amountCents,
      tax_cents: (sums?.tax_cents ?? 0) + taxCents,
    });
  }
  return [...products.values()];
}

export function saleSteps({ sales }: Pick<EventTimeline, 'sales'>): TraceStep[] {
  return sales.map((sale) => ({
    order: sale.created_at,
    step: 'sale',
    reason: 'sale_recorded',
    why: 'A payment by this customer was reported.',
    detail: {
      id: sale.id,
      transaction_id: sale.processor_event_id,
      amount_cents: sale.amount_cents,
      currency: sale.currency,
      tax_cents: sale.tax_cents,
      shipping_cents: sale.shipping_cents,
      product_id: sale.product_id,
      products: sale.product_id === null ? toTraceProducts(sale.line_items) : [],
      subscription_id: sale.subscription_id,
      sale_date: isoTime(sale.sale_at),
    },
  }));
}

/** If no sale was reported, returns a step that states this. Without a sale, there is no commission. */
export function missingSteps(
  { leads, sales }: Pick<EventTimeline, 'leads' | 'sales'>,
  now: number,
): TraceStep[] {
  if (sales.length > 0) return [];
  return [
    {
      order: now,
      step: 'missing',
      reason: 'no_sale_reported',
      why: 'No sale was recorded for this customer. The trace does not contain rejected requests.',
      detail: { has_lead: leads.length > 0 },
    },
  ];
}

/** Returns steps that say which rows the trace leaves out because there are too many. */
export function cutSteps(cuts: readonly TraceCut[]): TraceStep[] {
  return cuts.map(({ list, at }) => ({
    order: at,
    step: 'note',
    reason: 'rows_left_out',
    why: `The customer has more than 1,000 ${list}. The trace shows only the first 500 and the last 500. A step that depends on the rows in between may be missing, or may refer to an earlier row instead.`,
    detail: { sale_id: null, detail: list },
  }));
}
