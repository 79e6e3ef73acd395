import { isoTime } from '../../domain/calendar.ts';
import type { ProcessorEventRow } from '../../storage/stripe/processor-events.ts';
import type { TraceStep } from './trace-step.ts';

const WEBHOOK_OUTCOME_TEXTS: Readonly<Record<ProcessorEventRow['outcome'], string>> = {
  sale_recorded: 'The payment processor reported a payment, which was recorded as a sale.',
  duplicate:
    'The payment processor reported a payment that had already been recorded. The payment counts once.',
  refunded: 'The payment processor reported a refund, which was deducted from the commission.',
  refund_skipped: 'The payment processor reported a refund that does not change the commission.',
  refund_failed:
    'The payment processor reported that a refund failed. The amount that the refund had deducted was credited back to the partner.',
  dispute_held: 'The customer disputed the payment. The commission is on hold until the dispute ends.',
  dispute_released: 'The dispute of the payment ended in the advertiser’s favor.',
  dispute_lost:
    'The advertiser lost the dispute of the payment, so the disputed share of the commission was deducted.',
  dispute_skipped: 'The payment processor reported a dispute that does not change the commission.',
  parked:
    'The payment processor reported a refund or a dispute of a payment that is not known yet. The refund or dispute is applied once the payment is recorded.',
  tied: 'The payment processor reported that two of its ids belong to the same payment.',
  test_recorded:
    'The payment processor reported a payment in test mode, which was recorded as a test sale. It has no effect.',
  ignored: 'The payment processor sent an event that was not applied.',
};

const WEBHOOK_REASON_TEXTS: Readonly<Record<string, string>> = {
  sale_customer_not_found: 'Its customer_key or click_id is not known in the program.',
  no_affiliate_attribution: 'Its click_id belongs to another program.',
  no_partner_program: 'The partner was not approved in the program at that time.',
  partner_required: 'The customer’s partner was deleted.',
  recorded_by_other_program: 'The payment was recorded in another program of the workspace.',
  test_event: 'The event is from the processor’s test mode, but the connection is for live mode.',
  live_event: 'The event is from the processor’s live mode, but the connection is for test mode.',
  other_account: 'The event and the connection belong to different accounts.',
  other_dispute_open: 'Another dispute of the payment is still open, so the commission is still on hold.',
  payment_failed: 'The payment failed.',
  payment_pending: 'The payment was not completed yet.',
  zero_amount: 'The amount was 0.',
};

function describeProcessorEvent({ outcome, reason }: ProcessorEventRow): string {
  if (reason === 'details_pending') {
    return 'The payment processor reported a payment without its tax or products. The payment is recorded when its session or invoice arrives, or after 10 minutes.';
  }
  return [WEBHOOK_OUTCOME_TEXTS[outcome], WEBHOOK_REASON_TEXTS[reason ?? ''] ?? ''].join(' ').trim();
}

/** Returns a step for each webhook of a payment processor: what it reported, and what Affkit did with it. */
export function processorSteps(processorEvents: readonly ProcessorEventRow[]): TraceStep[] {
  return processorEvents.map((processorEvent) => ({
    order: processorEvent.received_at,
    step: 'webhook',
    reason: `webhook_${processorEvent.outcome}`,
    why: describeProcessorEvent(processorEvent),
    detail: {
      event_id: processorEvent.event_id,
      type: processorEvent.type,
      outcome: processorEvent.outcome,
      outcome_reason: processorEvent.reason,
      sale_id: processorEvent.sale_id,
      event_date: isoTime(processorEvent.event_at),
    },
  }));
}
