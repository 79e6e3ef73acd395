import type { ComponentChildren, JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/events.ts';
import type { TrackedEvent } from '../../api/types.ts';
import { usePartner } from '../../api/use-partner.ts';
import { useProgram } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { Badge, type Tone } from '../../ui/state.tsx';
import type { Column } from '../../ui/table.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Money, Time } from '../../ui/values.tsx';
import { type EventType, eventPageOf, searchTextOf } from './event-line.ts';

const EVENT_TONES: Readonly<Record<EventType, Tone | undefined>> = {
  click: undefined,
  lead: 'info',
  conversion: 'good',
};

export const EVENT_COLUMNS: readonly Column<TrackedEvent>[] = [
  {
    title: messages.event,
    cell: ({ event_type, timestamp }) => (
      <span class="event-name">
        <Badge tone={EVENT_TONES[event_type]}>{messages.types[event_type]}</Badge>
        <span class="small quiet">
          <Time at={timestamp} />
        </span>
      </span>
    ),
  },
  { title: common.partner, size: 'medium', isUntitled: true, cell: (event) => <PartnerCell event={event} /> },
  {
    title: messages.details,
    size: 'wide',
    isUntitled: true,
    cell: (event) => <EventDetails event={event} />,
  },
  {
    title: common.amount,
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
      {common.why}
      <span class="hidden">
        {' '}
        {messages.types[event.event_type]} {text}
      </span>
    </Link>
  );
}

function PartnerCell({ event }: { event: TrackedEvent }): JSX.Element {
  const { partner_id, link_id } = event;
  const partner = usePartner(partner_id);
  if (partner_id === null) return <span class="quiet">–</span>;
  const link = partner?.links.find(({ id }) => id === link_id);
  const subId = event.event_type === 'click' ? event.sub_id : null;
  return (
    <>
      <Filter changes={{ partner_id: String(partner_id) }}>
        {partner?.name ?? common.partnerNumber(partner_id)}
      </Filter>
      {(link || subId !== null) && (
        <span class="sub">
          {link && <Filter changes={{ link_id: String(link.id) }}>{link.short_link}</Filter>}
          {link && subId !== null && ' · '}
          {subId !== null && <Filter changes={{ sub_id: subId }}>{subId}</Filter>}
        </span>
      )}
    </>
  );
}

/** A value that becomes a filter when the user clicks it. */
function Filter({
  changes,
  children,
}: {
  changes: Readonly<Record<string, string>>;
  children: ComponentChildren;
}): JSX.Element {
  // A new filter changes the pages of the list. Leave out `page`, so that the list starts at its first page.
  const [{ page: _page, ...query }] = useQueryState();
  const { page } = useProgram();
  return <Link to={`${page}/events?${new URLSearchParams({ ...query, ...changes })}`}>{children}</Link>;
}

function EventDetails({ event }: { event: TrackedEvent }): JSX.Element {
  if (event.event_type === 'conversion') {
    const { processor_event_id, is_recurring, no_commission_reason } = event;
    return (
      <>
        {processor_event_id}
        {is_recurring && <span class="sub">{messages.renewal}</span>}
        {no_commission_reason && <span class="sub">{messages.noCommission[no_commission_reason]}</span>}
      </>
    );
  }
  const page = event.page_url === null ? null : eventPageOf(event.page_url);
  if (event.event_type === 'lead') {
    return (
      <>
        {event.customer_key ?? event.click_id}
        {page !== null && <span class="sub">{page}</span>}
      </>
    );
  }
  const visitor = [event.geo_country, event.browser_name, event.device_os].filter(Boolean).join(', ');
  const origin = event.referrer_url === null ? '' : messages.from(eventPageOf(event.referrer_url));
  return (
    <>
      {page ?? event.click_id}
      <span class="sub">{[origin, visitor].filter(Boolean).join(' · ')}</span>
    </>
  );
}
