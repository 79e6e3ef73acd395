import {
  type AttributionModel,
  attributeFurtherClick,
  type CustomerStatus,
} from '../../domain/attribution.ts';
import { isoTime } from '../../domain/calendar.ts';
import type { ModelChange } from '../../storage/accounts/audit-log.ts';
import type { EventTimeline } from '../../storage/reads/timeline.ts';
import type { Step } from './trace-step.ts';

type Click = EventTimeline['clicks'][number];

type Events = Pick<EventTimeline, 'clicks' | 'leads' | 'sales'>;

/** The program's model, and what it was before each change. */
export interface ModelHistory {
  readonly present: AttributionModel;
  /** Oldest first. */
  readonly changes: readonly ModelChange[];
}

/** The clicks, each with what it did to whose customer it is, by the program's model at the time. */
export function clickSteps({ clicks, leads, sales }: Events, models: ModelHistory): readonly Step[] {
  const settledAt = Math.min(...leads.map((row) => row.created_at), ...sales.map((row) => row.created_at));
  let owner: { partnerId: number | null; linkId: number } | null = null;
  const steps: Step[] = [];
  for (const click of clicks) {
    const link = { partnerId: click.partner_id, linkId: click.link_id ?? 0 };
    const status: CustomerStatus = click.created_at > settledAt ? 'lead' : 'click';
    const model = modelAt(models, click.created_at);
    const rule: Rule = owner === null ? RULES.first : ruleOf(owner, link, status, model);
    if (owner === null || rule === RULES.moved) owner = link;
    steps.push({ order: click.created_at, step: 'click', ...rule, detail: clickDetail(click) });
  }
  return steps;
}

function modelAt({ present, changes }: ModelHistory, at: number): AttributionModel {
  return changes.find((change) => change.at >= at)?.before ?? present;
}

const RULES = {
  first: {
    reason: 'click_recorded',
    why: 'The first visit by a partner’s link: the customer is that partner’s.',
  },
  renewed: {
    reason: 'click_renews_window',
    why: 'A further visit by a link of the same partner: the window begins anew.',
  },
  moved: {
    reason: 'click_moves_customer',
    why: 'A visit by another partner’s link before the signup: by the program’s model then the last click wins, so the customer is now that partner’s.',
  },
  firstWins: {
    reason: 'first_click_wins',
    why: 'A visit by another partner’s link: by the program’s model then the first click wins, so nothing changes.',
  },
  settled: {
    reason: 'partner_settled_by_lead',
    why: 'A visit by another partner’s link after the signup or the first sale: from then on the customer keeps its partner.',
  },
} as const;

type Rule = (typeof RULES)[keyof typeof RULES];

function ruleOf(
  owner: { readonly partnerId: number | null; readonly linkId: number },
  link: { readonly partnerId: number | null; readonly linkId: number },
  status: CustomerStatus,
  model: AttributionModel,
): Rule {
  if (link.partnerId === owner.partnerId) return RULES.renewed;
  const visited = { partnerId: link.partnerId ?? 0, linkId: link.linkId };
  const attributed = attributeFurtherClick({ ...owner, status }, visited, model);
  if (attributed.linkId === link.linkId) return RULES.moved;
  return status === 'click' ? RULES.firstWins : RULES.settled;
}

function clickDetail(click: Click): Record<string, unknown> {
  return {
    id: click.id,
    partner_id: click.partner_id,
    link_id: click.link_id,
    page_url: click.page_url,
    referrer_url: click.referrer_url,
  };
}

const LEAD_RULES = {
  browser:
    'A browser reported the signup. A customer_key that it named is only claimed: it gives way to what the advertiser’s server says.',
  server:
    'The advertiser’s server reported the signup. A customer_key that it named is verified and never moves.',
} as const;

export function leadSteps({ leads }: Pick<EventTimeline, 'leads'>): Step[] {
  return leads.map((lead) => ({
    order: lead.created_at,
    step: 'lead',
    reason: `lead_from_${lead.source}`,
    why: `${LEAD_RULES[lead.source]} From the signup on the customer keeps its partner.`,
    detail: { id: lead.id, customer_key: lead.customer_key, lead_date: isoTime(lead.lead_at) },
  }));
}

const NOTES: Readonly<Record<string, string>> = {
  customer_key_claim_displaced:
    'The key had been claimed by a browser for another click. The advertiser’s server named it together with this click, so it moved here, verified.',
  customer_key_claim_replaced:
    'A browser had claimed another key for this click. The advertiser’s server named this one, which took its place.',
  customer_key_wins_over_click_id:
    'Key and click named two customers. The key is verified, so its customer counts, and the click does not.',
  customer_key_claim_passed_over:
    'The key was only claimed by a browser for another click, and this click has a verified key of its own: the click counts.',
  commission_owed:
    'The sale was recorded, but its commission could not be stored at once. A repair job makes it by the terms worked out then.',
  sale_recorded_twice:
    'The payment had been recorded as two sales, by ids that were not known to belong together. This one stands for both.',
  duplicate_sale_rejected:
    'The payment had been recorded as two sales, by ids that were not known to belong together. The other one stands, and this one’s commission was rejected.',
  duplicate_sale_nothing_to_reject:
    'The payment had been recorded as two sales, by ids that were not known to belong together. The other one stands; this one had no commission that counted.',
  duplicate_sale_not_rejected:
    'The payment had been recorded as two sales, by ids that were not known to belong together. The other one stands, but this one’s commission was paid, refunded or part of a payout, and was left as it is.',
  transaction_id_taken_elsewhere:
    'Another workspace of the service uses the payment’s id as a transaction id, so the sale was recorded under one of its own.',
};

const NOTES_ELSEWHERE: Readonly<Record<string, string>> = {
  customer_key_claim_displaced:
    'A browser had claimed a key for this click. The advertiser’s server named that key together with another click, which has it now.',
  customer_key_wins_over_click_id:
    'The advertiser’s server named this click together with a key that is verified for another customer: the key counts, and this click was not credited.',
};

/** What was noted where rows alone do not say why: key rules, and commissions that were owed. */
export function noteSteps({
  notes,
  notesElsewhere,
}: Pick<EventTimeline, 'notes' | 'notesElsewhere'>): Step[] {
  return [
    ...notes.map((note) => ({ note, reason: note.reason, texts: NOTES })),
    ...notesElsewhere.map((note) => ({ note, reason: `${note.reason}_elsewhere`, texts: NOTES_ELSEWHERE })),
  ].map(({ note, reason, texts }) => ({
    order: note.created_at,
    step: 'note',
    reason,
    why: texts[note.reason] ?? 'Noted when it was decided.',
    detail: { sale_id: note.sale_id, detail: note.detail },
  }));
}

export function saleSteps({ sales }: Pick<EventTimeline, 'sales'>): Step[] {
  return sales.map((sale) => ({
    order: sale.created_at,
    step: 'sale',
    reason: 'sale_recorded',
    why: 'The advertiser’s server reported a payment of this customer.',
    detail: {
      id: sale.id,
      transaction_id: sale.processor_event_id,
      amount_cents: sale.amount_cents,
      currency: sale.currency,
      product_id: sale.product_id,
      subscription_id: sale.subscription_id,
      sale_date: isoTime(sale.sale_at),
    },
  }));
}

/** What there would have to be for a credit, and is not. */
export function missingSteps({ leads, sales }: Pick<EventTimeline, 'leads' | 'sales'>, now: number): Step[] {
  if (sales.length > 0) return [];
  return [
    {
      order: now,
      step: 'missing',
      reason: 'no_sale_reported',
      why: 'No sale was reported with this customer_key or click_id. A request that was refused leaves no trace.',
      detail: { has_lead: leads.length > 0 },
    },
  ];
}
