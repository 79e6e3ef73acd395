import * as messages from '#messages/notifications.ts';
import type { Notification } from '../../api/types.ts';
import { formatMoney } from '../../format/money.ts';

export interface NotificationText {
  readonly title: string;
  /** The event, and the next action. */
  readonly text: string;
  /** Transaction id that "Why?" explains. */
  readonly transactionId: string | null;
}

type Details = Notification['details'];

/** The text of a notification. An unknown kind, of a later version, shows its name. */
export function describeNotification({ kind, details }: Notification): NotificationText {
  const transactionId = text(details['transaction_id']);
  if (!isKnown(kind)) return { title: unknownTitle(kind), text: messages.unknownKind, transactionId };
  return { title: messages.titles[kind], text: TEXTS[kind](details), transactionId };
}

type Kind = keyof typeof messages.titles;

function isKnown(kind: string): kind is Kind {
  return Object.hasOwn(messages.titles, kind);
}

const TEXTS: Readonly<Record<Kind, (details: Details) => string>> = {
  paid_commission_reversed: (details) =>
    messages.paidCommissionReversed(
      amount(details, 'deduction_cents', 'currency'),
      number(details['commission_id']),
    ),
  second_refund_skipped: (details) =>
    messages.refundSkipped(amount(details, 'refund_amount_cents', 'refund_currency'), sale(details)),
  refund_parked: (details) =>
    messages.refundParked(amount(details, 'refund_amount_cents', 'refund_currency'), name(details['charge'])),
  commission_disputed: (details) => {
    const describe = details['was_paid'] === true ? messages.disputedAfterPayout : messages.disputed;
    return describe(amount(details, 'amount_cents', 'currency'), sale(details));
  },
  commission_released: (details) =>
    messages.released(amount(details, 'amount_cents', 'currency'), sale(details)),
  lost_dispute_skipped: (details) =>
    messages.disputeSkipped(amount(details, 'dispute_amount_cents', 'dispute_currency'), sale(details)),
  dispute_parked: (details) =>
    messages.disputeParked(
      amount(details, 'dispute_amount_cents', 'dispute_currency'),
      name(details['charge']),
    ),
  sale_recorded_twice: (details) => {
    const describe =
      details['done'] === 'not_rejected' ? messages.bothCommissionsStay : messages.recordedTwice;
    return describe(sale(details), name(details['duplicate_transaction_id']));
  },
  recorded_by_other_program: (details) =>
    messages.recordedByOther(sale(details), number(details['recorded_by_program_id'])),
};

/** `Some new kind` for `some_new_kind`. */
function unknownTitle(kind: string): string {
  const words = kind.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function name(value: unknown): string {
  return text(value) ?? messages.withoutId;
}

function sale(details: Details): string {
  return name(details['transaction_id']);
}

function number(value: unknown): string {
  return typeof value === 'number' ? String(value) : '';
}

function amount(details: Details, centsName: string, currencyName: string): string {
  const cents = details[centsName];
  const currency = details[currencyName];
  if (typeof cents !== 'number' || typeof currency !== 'string') return messages.unknownAmount;
  return formatMoney(cents, currency);
}
