import * as messages from '#messages/notifications.ts';
import type { Notification } from '../../api/types.ts';
import { formatMoney } from '../../format/money.ts';
import { formatMonth } from '../../format/time.ts';

export interface NotificationText {
  readonly title: string;
  /** What happened, and what the user can do. */
  readonly text: string;
  /** The transaction id for a link to the page "Why?". */
  readonly transactionId: string | null;
  /** The id of a webhook endpoint for a link to its page. */
  readonly endpointId: number | null;
  /** Whether to link to the page of the payout batches. */
  readonly isAboutBatch: boolean;
}

type NotificationDetails = Notification['details'];

/**
 * Returns the text of a notification. For an unknown kind of a later version, it shows the name of the kind.
 */
export function describeNotification({ kind, details }: Notification): NotificationText {
  const transactionId = nonEmptyText(details['transaction_id']);
  const endpointId = typeof details['endpoint_id'] === 'number' ? details['endpoint_id'] : null;
  const isAboutBatch = typeof details['batch_id'] === 'number';
  const targets = { transactionId, endpointId, isAboutBatch };
  if (!isKnown(kind)) return { title: unknownTitle(kind), text: messages.unknownKind, ...targets };
  return { title: messages.titles[kind], text: NOTIFICATION_TEXTS[kind](details), ...targets };
}

type NotificationKind = keyof typeof messages.titles;

function isKnown(kind: string): kind is NotificationKind {
  return Object.hasOwn(messages.titles, kind);
}

const NOTIFICATION_TEXTS: Readonly<Record<NotificationKind, (details: NotificationDetails) => string>> = {
  paid_commission_reversed: (details) =>
    messages.paidCommissionReversed(
      amountText(details, 'deduction_cents', 'currency'),
      numberText(details['commission_id']),
    ),
  second_refund_skipped: (details) =>
    messages.refundSkipped(amountText(details, 'refund_amount_cents', 'refund_currency'), saleText(details)),
  refund_parked: (details) =>
    messages.refundParked(
      amountText(details, 'refund_amount_cents', 'refund_currency'),
      idText(details['charge']),
    ),
  commission_disputed: (details) => {
    const describe = details['was_paid'] === true ? messages.disputedAfterPayout : messages.disputed;
    return describe(amountText(details, 'amount_cents', 'currency'), saleText(details));
  },
  commission_released: (details) =>
    messages.released(amountText(details, 'amount_cents', 'currency'), saleText(details)),
  lost_dispute_skipped: (details) =>
    messages.disputeSkipped(
      amountText(details, 'dispute_amount_cents', 'dispute_currency'),
      saleText(details),
    ),
  dispute_parked: (details) =>
    messages.disputeParked(
      amountText(details, 'dispute_amount_cents', 'dispute_currency'),
      idText(details['charge']),
    ),
  sale_recorded_twice: (details) => {
    const describe =
      details['done'] === 'not_rejected' ? messages.bothCommissionsStay : messages.recordedTwice;
    return describe(saleText(details), idText(details['duplicate_transaction_id']));
  },
  application_received: (details) => messages.applicationReceived(idText(details['partner_name'])),
  payouts_proposed: (details) => messages.payoutsProposed(monthText(details['month'])),
  payouts_failed: (details) => batchText(details, messages.payoutsFailed),
  payouts_unclear: (details) => batchText(details, messages.payoutsUnclear),
  payouts_contradicted: (details) => batchText(details, messages.payoutsContradicted),
  payouts_delayed: (details) => batchText(details, messages.payoutsDelayed),
  recorded_by_other_program: (details) =>
    messages.recordedByOther(saleText(details), numberText(details['recorded_by_program_id'])),
  webhook_paused: (details) => messages.webhookPaused(idText(details['host'])),
  webhook_failed: (details) => messages.webhookFailed(idText(details['host'])),
};

/** Formats the name of an unknown kind: `some_new_kind` becomes `Some new kind`. */
function unknownTitle(kind: string): string {
  const words = kind.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function nonEmptyText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function idText(value: unknown): string {
  return nonEmptyText(value) ?? messages.withoutId;
}

function saleText(details: NotificationDetails): string {
  return idText(details['transaction_id']);
}

function batchText(
  details: NotificationDetails,
  describe: (batch: string, reason: string) => string,
): string {
  const reason = nonEmptyText(details['reason']);
  return describe(
    numberText(details['batch_id']),
    reason === null ? '' : messages.reasonIs(reason),
  ).trimEnd();
}

function monthText(value: unknown): string {
  return typeof value === 'string' ? formatMonth(value) : messages.unknownMonth;
}

function numberText(value: unknown): string {
  return typeof value === 'number' ? String(value) : '';
}

function amountText(details: NotificationDetails, centsName: string, currencyName: string): string {
  const cents = details[centsName];
  const currency = details[currencyName];
  if (typeof cents !== 'number' || typeof currency !== 'string') return messages.unknownAmount;
  return formatMoney(cents, currency);
}
