import { isoTime } from '../../domain/calendar.ts';
import type { ProcessorEventRow } from '../../storage/stripe/processor-events.ts';
import type { Step } from './trace-step.ts';

const OUTCOMES: Readonly<Record<ProcessorEventRow['outcome'], string>> = {
  sale_recorded: 'The payment processor reported a payment, and it was recorded as a sale.',
  duplicate: 'The payment processor reported a payment that was recorded already: it counts once.',
  refunded: 'The payment processor reported a refund, and it was taken from the commission.',
  refund_skipped: 'The payment processor reported a refund that takes nothing from the commission.',
  parked: 'The payment processor reported a refund whose payment is not known yet: it waits for it.',
  tied: 'The payment processor reported that two of its ids are one payment.',
  ignored: 'The payment processor sent an event that was not applied.',
};

const REASONS: Readonly<Record<string, string>> = {
  sale_customer_not_found: 'It named a customer_key or click that the program does not know.',
  no_affiliate_attribution: 'It named a click of another program.',
  no_partner_program: 'The partner was not approved in the program at that time.',
  partner_required: 'The customer’s partner has been erased.',
  recorded_by_other_program: 'Another program of the workspace recorded the payment.',
  payment_failed: 'The payment had failed.',
  payment_pending: 'The payment was not made yet.',
  zero_amount: 'Its amount was 0.',
};

/** What the payment processor said, and what was decided on it. */
export function processorSteps(events: readonly ProcessorEventRow[]): Step[] {
  return events.map((event) => ({
    order: event.received_at,
    step: 'webhook',
    reason: `webhook_${event.outcome}`,
    why: [OUTCOMES[event.outcome], REASONS[event.reason ?? ''] ?? ''].join(' ').trim(),
    detail: {
      event_id: event.event_id,
      type: event.type,
      outcome: event.outcome,
      outcome_reason: event.reason,
      sale_id: event.sale_id,
      event_date: isoTime(event.event_at),
    },
  }));
}
