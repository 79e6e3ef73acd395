import type { ComponentChildren, JSX } from 'preact';
import type { TrackedEvent } from '../../api/types.ts';
import { useProgram } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { Badge, type Tone } from '../../ui/state.tsx';
import type { Column } from '../../ui/table.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Money, Time } from '../../ui/values.tsx';
import { EVENT_NAMES, type EventType, pageOf, searchTextOf } from './event-line.ts';
import { usePartner } from './partner-names.tsx';

const TONES: Readonly<Record<EventType, Tone | undefined>> = {
  click: undefined,
  lead: 'info',
  conversion: 'good',
};

type Sale = Extract<TrackedEvent, { event_type: 'conversion' }>;

const NO_COMMISSION: Readonly<Record<NonNullable<Sale['no_commission_reason']>, string>> = {
  window_expired: 'No commission: too long after the click',
  recurring_ended: 'No commission: renewals earn no longer',
  below_min_sale: 'No commission: below the minimum',
  zero_amount: 'No commission: nothing was paid',
};

export const EVENT_COLUMNS: readonly Column<TrackedEvent>[] = [
  {
    title: 'Event',
    cell: ({ event_type, timestamp }) => (
      <span class="event-name">
        <Badge tone={TONES[event_type]}>{EVENT_NAMES[event_type]}</Badge>
        <span class="small quiet">
          <Time at={timestamp} />
        </span>
      </span>
    ),
  },
  { title: 'Partner', size: 'medium', cell: (event) => <PartnerCell event={event} /> },
  { title: 'Details', size: 'wide', cell: (event) => <Details event={event} /> },
  {
    title: 'Amount',
    align: 'end',
    cell: (event) =>
      event.event_type === 'conversion' && <Money cents={event.amount_cents} currency={event.currency} />,
  },
  { title: '', align: 'end', cell: (event) => <WhyLink event={event} /> },
];

function WhyLink({ event }: { event: TrackedEvent }): JSX.Element | null {
  const { page, may } = useProgram();
  const text = searchTextOf(event);
  if (text === null || !may('trace:read')) return null;
  return (
    <Link to={`${page}/why?q=${encodeURIComponent(text)}`}>
      Why?
      <span class="hidden">
        {' '}
        {EVENT_NAMES[event.event_type]} {text}
      </span>
    </Link>
  );
}

function PartnerCell({ event: { partner_id, link_id } }: { event: TrackedEvent }): JSX.Element {
  const partner = usePartner(partner_id);
  if (partner_id === null) return <span class="quiet">–</span>;
  const link = partner?.links.find(({ id }) => id === link_id);
  return (
    <>
      <Filter changes={{ partner_id: String(partner_id) }}>{partner?.name ?? `Partner ${partner_id}`}</Filter>
      {link && (
        <span class="sub">
          <Filter changes={{ link_id: String(link.id) }}>{link.short_link}</Filter>
        </span>
      )}
    </>
  );
}

/** A value of a row that, clicked, becomes a filter. */
function Filter({
  changes,
  children,
}: {
  changes: Readonly<Record<string, string>>;
  children: ComponentChildren;
}): JSX.Element {
  const [query] = useQueryState();
  const { page } = useProgram();
  return <Link to={`${page}/events?${new URLSearchParams({ ...query, ...changes })}`}>{children}</Link>;
}

function Details({ event }: { event: TrackedEvent }): JSX.Element {
  if (event.event_type === 'conversion') {
    const { processor_event_id, is_recurring, no_commission_reason } = event;
    return (
      <>
        {processor_event_id}
        {is_recurring && <span class="sub">Renewal</span>}
        {no_commission_reason && <span class="sub">{NO_COMMISSION[no_commission_reason]}</span>}
      </>
    );
  }
  const page = event.page_url === null ? null : pageOf(event.page_url);
  if (event.event_type === 'lead') {
    return (
      <>
        {event.customer_key ?? event.click_id}
        {page !== null && <span class="sub">{page}</span>}
      </>
    );
  }
  const visitor = [event.geo_country, event.browser_name, event.device_os].filter(Boolean).join(', ');
  return (
    <>
      {page ?? event.click_id}
      <span class="sub">
        {event.referrer_url !== null && <>from {pageOf(event.referrer_url)} · </>}
        {visitor}
        {event.sub_id !== null && (
          <>
            {' · '}
            <Filter changes={{ sub_id: event.sub_id }}>{event.sub_id}</Filter>
          </>
        )}
      </span>
    </>
  );
}
