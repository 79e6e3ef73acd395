import * as messages from '#messages/webhooks.tsx';
import type { WebhookEndpoint } from '../../api/types.ts';

export type EventType = WebhookEndpoint['event_types'][number];

interface EventGroup {
  readonly title: string;
  readonly types: readonly EventType[];
}

/** The types of events in the order of the page. */
export const EVENT_GROUPS: readonly EventGroup[] = [
  { title: messages.eventGroups.sales, types: ['lead.created', 'sale.created', 'refund.created'] },
  {
    title: messages.eventGroups.commissions,
    types: ['commission.created', 'commission.approved', 'commission.rejected', 'commission.reversed'],
  },
  { title: messages.eventGroups.payouts, types: ['payout.created', 'payout.paid', 'payout.cancelled'] },
  {
    title: messages.eventGroups.partners,
    types: ['partner.applied', 'partner.approved', 'partner.rejected'],
  },
  { title: messages.eventGroups.integration, types: ['integration.failing'] },
];

export const EVENT_TYPES: readonly EventType[] = EVENT_GROUPS.flatMap(({ types }) => types);
