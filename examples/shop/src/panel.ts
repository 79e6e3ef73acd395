import { formatMoney } from './money.ts';

/** What the live panel shows. Texts are ready to be shown. */
export interface PanelState {
  readonly visitor: {
    /** How far the visitor has come: click, lead or sale, which the API calls a conversion. */
    readonly stage: string;
    readonly partner: string;
    readonly clickId: string;
    readonly customerKey: string | null;
    readonly email: string | null;
  } | null;
  readonly events: readonly PanelEvent[];
  readonly partners: readonly PanelPartner[];
  /** What the visitor could do next. */
  readonly hint: string;
}

interface PanelEvent {
  /** The same each time, so that the panel knows what is new. */
  readonly key: string;
  readonly kind: string;
  readonly at: string;
  readonly title: string;
  readonly detail: string;
  readonly amount: string | null;
}

interface PanelPartner {
  readonly name: string;
  readonly link: string;
  readonly balance: string;
  /** What the partner has brought, e.g. `2 clicks · 1 lead · 1 sale`. */
  readonly brought: string;
}

/** The parts that are read of `GET …/trace`. */
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

/** The parts that are read of a row of `GET …/partners`. */
export interface Partner {
  readonly id: number;
  readonly name: string;
  readonly balance_cents: number;
  readonly clicks: number;
  readonly leads: number;
  readonly conversions: number;
  readonly links: readonly { readonly short_link: string }[];
}

/** The panel's view of one visitor, who may be unknown, and of all partners. */
export function describePanel(trace: Trace | null, partners: readonly Partner[]): PanelState {
  const nameOf = (id: unknown) => partners.find((partner) => partner.id === id)?.name ?? 'nobody';
  const customer = trace?.customer;
  const events = (trace?.steps ?? []).flatMap((step) => describeStep(step, nameOf, customer?.partner_id));
  return {
    visitor: customer
      ? {
          stage: customer.customer_status === 'conversion' ? 'sale' : customer.customer_status,
          partner: nameOf(customer.partner_id),
          clickId: customer.click_id,
          customerKey: customer.customer_key,
          email: customer.email,
        }
      : null,
    events: events.reverse(),
    partners: partners.map((partner) => ({
      name: partner.name,
      link: `/?aff=${encodeURIComponent(partner.links[0]?.short_link ?? '')}`,
      balance: formatMoney(partner.balance_cents),
      brought: [
        count(partner.clicks, 'click'),
        count(partner.leads, 'lead'),
        count(partner.conversions, 'sale'),
      ].join(' · '),
    })),
    hint: hintFor(customer?.customer_status, events),
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
      return event('Click', `by the link of ${nameOf(detail['partner_id'])}`);
    case 'lead':
      return event(
        'Lead',
        `signed up, as the shop’s ${reason === 'lead_from_server' ? 'server' : 'page'} told`,
      );
    case 'sale':
      return event('Sale', String(detail['transaction_id']), money('amount_cents'));
    case 'commission':
      return event(
        'Commission',
        `for ${nameOf(partnerId)}, ${isPartlyRefunded(detail) ? 'partly refunded' : String(detail['status'])}`,
        `+${money('amount_cents')}`,
      );
    case 'no_commission':
      return event('No commission', reason.replaceAll('_', ' '));
    case 'refund': {
      const isFull = detail['refund_amount_cents'] === null;
      const text = isFull
        ? 'of the whole sale, taken off the commission'
        : `of ${money('refund_amount_cents')}`;
      return event(
        'Refund',
        isFull ? text : `${text}, its share taken off the commission`,
        `−${money('deduction_cents')}`,
      );
    }
    default:
      return [];
  }
}

/** Has a refund taken back a part of the commission, and left some? */
function isPartlyRefunded({
  status,
  deducted_cents,
  amount_cents,
}: Trace['steps'][number]['detail']): boolean {
  return status === 'refunded' && Number(deducted_cents) < Number(amount_cents);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function hintFor(status: string | undefined, events: readonly PanelEvent[]): string {
  if (status === undefined) return 'Open a partner’s link below: the tracker in this page reports the click.';
  if (events.some(({ kind }) => kind === 'refund'))
    return 'That was the whole story. Start over as somebody else.';
  if (events.some(({ kind }) => kind === 'sale'))
    return 'Now ask for a refund of the order, or of a part of it.';
  return status === 'click' ? 'Now sign up.' : 'Now buy something.';
}
