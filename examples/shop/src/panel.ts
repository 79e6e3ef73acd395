import { formatMoney } from './money.ts';

/** The content of the live panel, with formatted texts. */
export interface PanelState {
  readonly visitor: {
    /**
     * The last stage that the visitor has reached: click, lead, sale or refund. The API calls a sale
     * `conversion`.
     */
    readonly stage: string;
    readonly partner: string;
    readonly clickId: string;
    readonly customerKey: string | null;
    readonly email: string | null;
  } | null;
  readonly events: readonly PanelEvent[];
  readonly partners: readonly PanelPartner[];
  /** A suggestion for the next step. */
  readonly hint: string;
}

interface PanelEvent {
  /** A stable key that lets the panel detect new events. */
  readonly key: string;
  readonly kind: string;
  readonly at: string;
  readonly title: string;
  readonly detail: string;
  readonly amount: string | null;
  /** Whether a refund or rejection removed the whole commission. */
  readonly isReversed?: boolean;
}

interface PanelPartner {
  readonly name: string;
  readonly link: string;
  readonly balance: string;
  /** The partner's event counts, e.g. `2 clicks · 1 lead · 1 sale`. */
  readonly counts: string;
}

/** The fields of `GET …/trace` that the panel reads. */
export interface Trace {
  readonly customer: {
    readonly customer_status: string;
    readonly click_id: string;
    readonly customer_key: string | null;
    readonly email: string | null;
    readonly partner_id: number | null;
  };
  readonly steps: readonly {
    readonly at: string;
    readonly step: string;
    readonly reason: string;
    readonly detail: Readonly<Record<string, unknown>>;
  }[];
}

/** The fields of a row of `GET …/partners` that the panel reads. */
export interface Partner {
  readonly id: number;
  readonly name: string;
  readonly balance_cents: number;
  readonly clicks: number;
  readonly leads: number;
  readonly conversions: number;
  readonly links: readonly { readonly short_link: string }[];
}

/** An order of the visitor for which Affkit recorded nothing. */
export interface UnattributedOrder {
  readonly id: string;
  readonly amountCents: number;
  readonly placedAt: string;
}

/**
 * Describes one visitor and the partners for the panel. `trace` is null if Affkit does not know the visitor.
 * @param codes codes of the partners to show. Absent: all of them
 */
export function describePanel(
  trace: Trace | null,
  partners: readonly Partner[],
  unattributedOrders: readonly UnattributedOrder[] = [],
  codes?: readonly string[],
): PanelState {
  const isShown = ({ links }: Partner) =>
    !codes || links.some(({ short_link }) => codes.includes(short_link));
  const nameOf = (id: unknown) => partners.find((partner) => partner.id === id)?.name ?? 'no partner';
  const customer = trace?.customer;
  const steps = (trace?.steps ?? []).flatMap((step) => describeStep(step, nameOf, customer?.partner_id));
  // Unattributed orders are older than all steps of the trace: a customer may get a partner later, but never loses a
  // partner.
  const events = [...unattributedOrders.map(describeUnattributed).reverse(), ...steps];
  return {
    visitor: customer
      ? {
          stage: stageOf(customer.customer_status, events),
          partner: nameOf(customer.partner_id),
          clickId: customer.click_id,
          customerKey: customer.customer_key,
          email: customer.email,
        }
      : null,
    events: events.reverse(),
    partners: partners.filter(isShown).map((partner) => ({
      name: partner.name,
      link: `/?aff=${encodeURIComponent(partner.links[0]?.short_link ?? '')}`,
      balance: formatMoney(partner.balance_cents),
      counts: [
        count(partner.clicks, 'click'),
        count(partner.leads, 'lead'),
        count(partner.conversions, 'sale'),
      ].join(' · '),
    })),
    hint: hintFor(customer?.customer_status, events),
  };
}

function stageOf(status: string, events: readonly PanelEvent[]): string {
  if (events.some(({ kind }) => kind === 'refund')) return 'refund';
  return status === 'conversion' ? 'sale' : status;
}

function describeUnattributed({ id, amountCents, placedAt }: UnattributedOrder): PanelEvent {
  return {
    key: `unattributed-${id}`,
    kind: 'unattributed',
    at: placedAt,
    title: 'Sale without a partner',
    detail: 'No partner’s link brought this customer, so Affkit recorded nothing',
    amount: formatMoney(amountCents),
  };
}

function describeStep(
  { at, step, reason, detail }: Trace['steps'][number],
  nameOf: (id: unknown) => string,
  partnerId: number | null | undefined,
): PanelEvent[] {
  const event = (title: string, text: string, amount: string | null = null): PanelEvent[] => [
    { key: `${step}-${String(detail['id'])}`, kind: step, at, title, detail: text, amount },
  ];
  const money = (field: string) => formatMoney(Number(detail[field] ?? 0));
  switch (step) {
    case 'click':
      return event('Click', `through the link of ${nameOf(detail['partner_id'])}`);
    case 'lead':
      return event(
        'Lead',
        `sign-up, reported by the shop’s ${reason === 'lead_from_server' ? 'server' : 'page'}`,
      );
    case 'sale':
      return event('Sale', String(detail['transaction_id']), money('amount_cents'));
    case 'commission':
      return event(
        'Commission',
        `for ${nameOf(partnerId)}, ${isPartlyRefunded(detail) ? 'partly refunded' : String(detail['status'])}`,
        `+${money('amount_cents')}`,
      ).map((commission) => ({ ...commission, isReversed: isReversed(detail) }));
    case 'no_commission':
      return event('No commission', reason.replaceAll('_', ' '));
    case 'refund': {
      const isFull = detail['refund_amount_cents'] === null;
      const deducted = `${money('deduction_cents')} deducted from the commission`;
      return event(
        'Refund',
        `${isFull ? 'of the whole sale' : `of a part of ${money('sale_amount_cents')}`}: ${deducted}`,
        `−${money(isFull ? 'sale_amount_cents' : 'refund_amount_cents')}`,
      );
    }
    default:
      return [];
  }
}

type Detail = Trace['steps'][number]['detail'];

/** Whether a refund deducted a part of the commission, but not all of it. */
function isPartlyRefunded({ status, deducted_cents, amount_cents }: Detail): boolean {
  return status === 'refunded' && Number(deducted_cents) < Number(amount_cents);
}

function isReversed(detail: Detail): boolean {
  const { status } = detail;
  return (
    status === 'reversed' || status === 'rejected' || (status === 'refunded' && !isPartlyRefunded(detail))
  );
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function hintFor(status: string | undefined, events: readonly PanelEvent[]): string {
  if (status === undefined && events.length > 0) {
    return 'This sale has no partner. Start over, and open a partner’s link first.';
  }
  if (status === undefined) return 'Open a partner’s link below: the tracker in this page reports the click.';
  if (events.some(({ kind }) => kind === 'refund'))
    return 'That was the whole flow. Start over as a new visitor.';
  if (events.some(({ kind }) => kind === 'sale')) return 'Now refund the order, in full or in part.';
  return status === 'click' ? 'Now sign up.' : 'Now buy something.';
}
