import type { Notification } from '../../api/types.ts';
import { formatMoney } from '../../format/money.ts';

export interface NotificationText {
  readonly title: string;
  /** What happened, and what to do. */
  readonly text: string;
  /** Transaction id that "Why?" explains. */
  readonly transactionId: string | null;
}

type Details = Notification['details'];

/** The text of a notification. An unknown kind, of a later version, shows its name. */
export function describeNotification({ kind, details }: Notification): NotificationText {
  const sale = text(details['transaction_id']);
  const [title, body] = TEXTS[kind]?.(details) ?? [unknownTitle(kind), 'Look it up in the documentation.'];
  return { title, text: body, transactionId: sale };
}

type Describe = (details: Details) => readonly [title: string, text: string];

const TEXTS: Readonly<Record<string, Describe>> = {
  paid_commission_reversed: (details) => [
    'A refund reduced a paid commission',
    `${amount(details, 'deduction_cents', 'currency')} of commission ${number(details['commission_id'])} was already paid. The partner’s next payout is lower by that amount.`,
  ],
  second_refund_skipped: (details) => [
    'A refund could not be deducted',
    `Stripe reported a refund of ${amount(details, 'refund_amount_cents', 'refund_currency')} in another currency than sale ${name(details['transaction_id'])}. Adjust its commission by hand.`,
  ],
  refund_parked: (details) => [
    'A refund waits for its sale',
    `The refund of ${amount(details, 'refund_amount_cents', 'refund_currency')} names payment ${name(details['charge'])}, which has not arrived for 24 hours. If no partner brought it, there is nothing to do.`,
  ],
  commission_disputed: (details) => [
    'A customer disputes a payment',
    `The commission of ${amount(details, 'amount_cents', 'currency')} for sale ${name(details['transaction_id'])} is on hold until the dispute ends. Answer the dispute at Stripe.${
      details['was_paid'] === true ? ' The commission was already paid.' : ''
    }`,
  ],
  commission_released: (details) => [
    'A dispute is over',
    `The commission of ${amount(details, 'amount_cents', 'currency')} for sale ${name(details['transaction_id'])} is no longer on hold.`,
  ],
  lost_dispute_skipped: (details) => [
    'A lost dispute could not be deducted',
    `The dispute of ${amount(details, 'dispute_amount_cents', 'dispute_currency')} is in another currency than sale ${name(details['transaction_id'])}. Adjust its commission by hand.`,
  ],
  dispute_parked: (details) => [
    'A dispute waits for its sale',
    `The dispute of ${amount(details, 'dispute_amount_cents', 'dispute_currency')} names payment ${name(details['charge'])}, which has not arrived for 24 hours. If no partner brought it, there is nothing to do.`,
  ],
  sale_recorded_twice: (details) => [
    'One payment was recorded as two sales',
    `Sales ${name(details['transaction_id'])} and ${name(details['duplicate_transaction_id'])} are the same payment. ${
      details['done'] === 'not_rejected'
        ? 'Both commissions stay, because they can no longer be rejected. Check whether to correct one.'
        : 'Only the first one earns a commission.'
    }`,
  ],
  recorded_by_other_program: (details) => [
    'A payment counts for another program',
    `Payment ${name(details['transaction_id'])} names this program, but program ${number(details['recorded_by_program_id'])} recorded it first. Send one program_id with each payment.`,
  ],
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
  return text(value) ?? 'without an id';
}

function number(value: unknown): string {
  return typeof value === 'number' ? String(value) : '';
}

function amount(details: Details, centsName: string, currencyName: string): string {
  const cents = details[centsName];
  const currency = details[currencyName];
  if (typeof cents !== 'number' || typeof currency !== 'string') return 'an unknown amount';
  return formatMoney(cents, currency);
}
