import { type Letter, toOneLine } from '../letter.ts';
import { greet } from './phrases.ts';

/** The data that every email to a partner about earnings or payouts contains. */
export interface PartnerNotice {
  readonly name: string;
  readonly programName: string;
  /** The URL of the partner's pages about the program, without a trailing slash. */
  readonly portalUrl: string;
}

/**
 * Tells a partner that a refund has reversed or reduced a commission. Amounts are texts that include the
 * currency.
 */
export function commissionChangedMail(
  notice: PartnerNotice & {
    readonly kind: 'commission_refunded' | 'commission_reversed';
    readonly deduction: string;
    /** Null if the email was queued by an earlier version. */
    readonly commissionId: number | null;
  },
): Letter {
  const program = toOneLine(notice.programName);
  const isReversed = notice.kind === 'commission_reversed';
  const { portalUrl, commissionId } = notice;
  return {
    subject: isReversed ? `A commission was reversed: ${program}` : `A commission was reduced: ${program}`,
    greeting: greet(notice.name),
    paragraphs: [
      isReversed
        ? `A purchase by a customer of ${program} was refunded, so your commission was taken back.`
        : `A purchase by a customer of ${program} was refunded in part, so your commission was reduced.`,
    ],
    facts: [
      ...(commissionId === null ? [] : [['Commission', `#${commissionId}`] as const]),
      ['Deducted', notice.deduction],
    ],
    button:
      commissionId === null
        ? { label: 'See your earnings', url: `${portalUrl}/earnings` }
        : { label: 'See the commission', url: `${portalUrl}/earnings/${commissionId}` },
    notes: [],
  };
}

/** The results of a partner in a month. */
export interface MonthFigures {
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  /** Amounts as texts that include the currency. */
  readonly commissions: readonly string[];
}

/** @param summary `month` is the month's name, such as `January 2026` */
export function monthlySummaryMail(
  summary: PartnerNotice & { readonly month: string; readonly figures: MonthFigures },
): Letter {
  const program = toOneLine(summary.programName);
  const { clicks, leads, sales, commissions } = summary.figures;
  return {
    subject: `Your ${summary.month} with ${program}`,
    greeting: greet(summary.name),
    paragraphs: [`Your results in ${summary.month} with ${program}:`],
    facts: [
      ['Clicks', String(clicks)],
      ['Sign-ups', String(leads)],
      ['Sales', String(sales)],
      ['Commissions', commissions.length === 0 ? 'none' : commissions.join(', ')],
    ],
    button: { label: 'See the details', url: summary.portalUrl },
    notes: ['These commissions can change later, for example after refunds. Months are in UTC.'],
  };
}
