import * as shared from '#messages/notifications.ts';
import * as details from '#messages/payout-details.ts';
import * as texts from '#messages/portal-notifications.ts';
import type { PortalNotification } from '../../api/types.ts';
import { formatList } from '../../format/list.ts';
import { formatMoney } from '../../format/money.ts';

export interface PortalNotificationText {
  readonly title: string;
  readonly text: string;
  /** The commission or payout that the notification is about. */
  readonly subject: { readonly kind: 'commission' | 'payout'; readonly id: number } | null;
}

type Details = PortalNotification['details'];
type Kind = keyof typeof texts.titles;

/**
 * Returns the text of a notification. For an unknown kind of a later version, it shows the name of the kind.
 */
export function describePortalNotification({
  kind,
  details: values,
}: PortalNotification): PortalNotificationText {
  const subject = subjectOf(values);
  if (!isKnown(kind)) {
    const words = kind.replaceAll('_', ' ');
    return { title: words.charAt(0).toUpperCase() + words.slice(1), text: shared.unknownKind, subject };
  }
  return { title: texts.titles[kind], text: TEXTS[kind](values), subject };
}

function isKnown(kind: string): kind is Kind {
  return Object.hasOwn(texts.titles, kind);
}

function subjectOf(values: Details): PortalNotificationText['subject'] {
  const { commission_id: commission, payout_id: payout } = values;
  if (typeof commission === 'number') return { kind: 'commission', id: commission };
  return typeof payout === 'number' ? { kind: 'payout', id: payout } : null;
}

const TEXTS: Readonly<Record<Kind, (values: Details) => string>> = {
  commission_reversed: (values) => texts.reversed(deduction(values), commission(values), reason(values)),
  commission_refunded: (values) => texts.refunded(deduction(values), commission(values), reason(values)),
  commission_restored: (values) => texts.restored(deduction(values), commission(values)),
  commission_rejected: (values) => texts.rejected(amount(values), commission(values)),
  commission_adjusted: (values) => {
    const isLower = Number(values['amount_cents']) < 0;
    const describe = isLower ? texts.lowered : texts.raised;
    return describe(amount(values), commission(values), reason(values));
  },
  commission_disputed: (values) => texts.disputed(amount(values), commission(values)),
  commission_released: (values) => texts.released(amount(values), commission(values)),
  payout_paid: (values) => texts.paid(amount(values), textOf(values['reference'])),
  payout_details_changed: ({ changed_fields: fields }) =>
    Array.isArray(fields) && fields.length > 0
      ? texts.detailsChanged(
          formatList(fields.map((name) => details.fieldNames[String(name)] ?? texts.unknownField)),
        )
      : texts.detailsDeleted,
  application_approved: () => texts.applicationApproved,
  application_rejected: (values) => texts.applicationRejected(reason(values)),
};

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function reason(values: Details): string | null {
  return textOf(values['reason']);
}

function commission({ commission_id: id }: Details): string {
  return typeof id === 'number' ? `#${id}` : shared.withoutId;
}

function deduction(values: Details): string {
  return moneyOf(values, 'deduction_cents');
}

function amount(values: Details): string {
  return moneyOf(values, 'amount_cents');
}

function moneyOf(values: Details, name: string): string {
  const { [name]: cents, currency } = values;
  if (typeof cents !== 'number' || typeof currency !== 'string') return shared.unknownAmount;
  return formatMoney(Math.abs(cents), currency);
}
