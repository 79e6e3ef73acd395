import * as common from '#messages/common.ts';
import * as messages from '#messages/notifications.ts';
import type { Notification } from '../../api/types.ts';
import { isolate } from '../../format/isolate.ts';
import { formatMoney } from '../../format/money.ts';
import { formatMonth } from '../../format/time.ts';
import type { Permission } from '../../session/session.tsx';

export interface NotificationText {
  readonly title: string;
  /** What happened, and what the user can do. */
  readonly text: string;
  readonly links: readonly NotificationLink[];
}

/** A link to what a notification is about. */
interface NotificationLink {
  readonly text: string;
  /** Relative to the pages of the program. */
  readonly path: string;
  /** The permission that the linked page requires. */
  readonly permission: Permission;
}

type NotificationDetails = Notification['details'];

/**
 * Returns the text of a notification. For an unknown kind of a later version, it shows the name of the kind.
 */
export function describeNotification({ kind, details }: Notification): NotificationText {
  const links = linksOf(details);
  if (!isKnown(kind)) return { title: unknownTitle(kind), text: messages.unknownKind, links };
  return { title: messages.titles[kind], text: NOTIFICATION_TEXTS[kind](details), links };
}

function linksOf(details: NotificationDetails): NotificationLink[] {
  const transactionId = nonEmptyText(details['transaction_id']);
  const { endpoint_id, batch_id, partner_id, payout_run_id } = details;
  const links: (NotificationLink | false)[] = [
    transactionId !== null && {
      text: common.why,
      path: `/why?q=${encodeURIComponent(transactionId)}`,
      permission: 'trace:read',
    },
    typeof endpoint_id === 'number' && {
      text: messages.openEndpoint,
      path: `/webhooks/${endpoint_id}`,
      permission: 'webhook:write',
    },
    typeof batch_id === 'number' && {
      text: messages.openBatches,
      path: '/payouts/files',
      permission: 'payout:list',
    },
    typeof payout_run_id === 'number' && {
      text: messages.openPayouts,
      path: '/payouts',
      permission: 'payout:list',
    },
    typeof partner_id === 'number' && {
      text: messages.openPartner,
      path: `/partners/${partner_id}`,
      permission: 'partner:list',
    },
  ];
  return links.filter((link) => link !== false);
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
  const text = nonEmptyText(value);
  return text === null ? messages.withoutId : isolate(text);
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
