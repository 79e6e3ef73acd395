import type { PayoutDetails } from '../../domain/payout-details.ts';
import type { PayoutProblem } from '../../domain/payout-problem.ts';
import { type Letter, toOneLine } from '../letter.ts';
import type { PartnerNotice } from './earnings.ts';
import { greet, plural, utcTime } from './phrases.ts';

const PAYOUT_TEXTS = {
  payout_created: {
    subject: 'A payout is on its way',
    text: 'has prepared a payout for you. You will get another email when it is paid.',
  },
  payout_paid: { subject: 'You have been paid', text: 'has paid your commissions.' },
  payout_failed: {
    subject: 'A payout failed',
    text: 'could not pay your commissions. Check your payout details.',
  },
} as const;

/** @param notice `detail` is the reference of the payment, or the reason why it failed */
export function payoutMail(
  notice: Pick<PartnerNotice, 'name' | 'programName'> & {
    /** See `PartnerNotice`. Null for a deleted program. */
    readonly portalUrl: string | null;
    readonly kind: keyof typeof PAYOUT_TEXTS;
    readonly amount: string;
    readonly detail: string | null;
    readonly payoutId: number;
  },
): Letter {
  const program = toOneLine(notice.programName);
  const { portalUrl, payoutId } = notice;
  const { subject, text } = PAYOUT_TEXTS[notice.kind];
  const detailName = notice.kind === 'payout_failed' ? 'Reason' : 'Reference';
  const detail = notice.detail === null ? '' : toOneLine(notice.detail, 250);
  return {
    subject: `${subject}: ${notice.amount}, ${program}`,
    greeting: greet(notice.name),
    paragraphs: [`${program} ${text}`],
    facts: [['Amount', notice.amount], ...(detail === '' ? [] : [[detailName, detail] as const])],
    ...(portalUrl !== null && {
      button: { label: 'See the payout', url: `${portalUrl}/payouts/${payoutId}` },
    }),
    notes: [],
  };
}

const DETAIL_NAMES: Readonly<Record<keyof PayoutDetails, string>> = {
  method: 'method',
  currency: 'currency',
  email: 'email address of the account',
  iban: 'IBAN',
  bic: 'BIC',
  account_holder: 'account holder',
  account_holder_type: 'person or company',
  stripe_account_id: 'Stripe account',
  instructions: 'instructions',
  tax_name: 'name for taxes',
  tax_id: 'tax number',
  address: 'address',
};

/**
 * Tells a partner that the account that receives the payouts was changed.
 * @param change `name` is null if the email goes to an earlier address of the partner; `changedFields` is empty
 * if the details were deleted
 */
export function payoutDetailsChangedMail(change: {
  readonly name: string | null;
  readonly workspaceName: string;
  readonly dashboardUrl: string;
  readonly changedFields: readonly (keyof PayoutDetails)[];
  readonly changedAt: number;
}): Letter {
  const workspace = toOneLine(change.workspaceName);
  const changes = change.changedFields.map((field) => DETAIL_NAMES[field]).join(', ');
  const [verb, happened, effect] =
    changes === ''
      ? ['deleted', 'deleted', 'You cannot be paid until you enter new details.']
      : ['changed', 'entered or changed', 'New payouts use the new details.'];
  return {
    subject: `Your payout details were ${verb}: ${workspace}`,
    greeting: greet(change.name),
    paragraphs: [
      `Your payout details for ${workspace} were ${happened} at ${utcTime(change.changedAt)}. ${effect}`,
    ],
    facts: changes === '' ? [] : [['Changed', changes]],
    button: { label: 'Check your payout details', url: `${change.dashboardUrl}/partner/payout-details` },
    notes: [
      `If you did not do this, set a new password, correct the details, and ask ${workspace} to stop your payouts.`,
    ],
  };
}

/**
 * Tells an owner that the scheduled payouts of a month are ready to be confirmed, with their totals.
 * @param proposal `month` is the month's name, such as `January 2026`; the amounts are texts that include the currency
 */
export function payoutsProposedMail(proposal: {
  readonly name: string;
  readonly programName: string;
  readonly month: string;
  readonly totals: readonly { readonly payouts: number; readonly amount: string }[];
  readonly url: string;
}): Letter {
  const program = toOneLine(proposal.programName);
  return {
    subject: `Payouts to confirm for ${proposal.month}: ${program}`,
    greeting: greet(proposal.name),
    paragraphs: [`The payouts of ${program} for ${proposal.month} are ready for you to confirm:`],
    facts: proposal.totals.map(({ payouts, amount }) => [plural(payouts, 'payout', 'payouts'), amount]),
    button: { label: 'Check the payouts', url: proposal.url },
    notes: ['No payout is created until an owner confirms the payouts. Until then, the amounts can change.'],
  };
}

/** Tells a member about a problem with payouts of a batch that a payout provider sends. */
export function payoutProblemMail(batch: {
  readonly name: string;
  readonly programName: string;
  readonly provider: string;
  readonly batchId: number;
  readonly problem: PayoutProblem;
  readonly payouts: number;
  /** The provider's reply about the first payout that has the problem. */
  readonly reason: string | null;
  /** The page with the batches. Null for a deleted program. */
  readonly url: string | null;
}): Letter {
  const { batchId, provider, problem, url } = batch;
  const program = toOneLine(batch.programName);
  const payouts = plural(batch.payouts, 'payout', 'payouts');
  const texts: Readonly<Record<PayoutProblem, readonly [title: string, text: string, advice: string]>> = {
    failed: [
      'Payouts have failed',
      `${provider} has not paid ${payouts} of batch ${batchId}.`,
      'These payouts are pending again. When you have fixed the cause, make a new batch of them.',
    ],
    unclear: [
      'Payouts need your check',
      `It is unknown whether ${provider} has paid ${payouts} of batch ${batchId}. Affkit does not send them again, because they could be paid twice.`,
      `Look the payments up at ${provider}, and import their results on the page of the batch.`,
    ],
    contradicted: [
      'A payout has contradictory results',
      `${provider} has reported a result for ${payouts} of batch ${batchId} that differs from the stored result, for example because a payment came back. Affkit keeps the stored result.`,
      `Check the payments at ${provider}. If money came back, adjust a commission to add it to the partner's balance.`,
    ],
    delayed: [
      'Payouts are delayed',
      `${provider} has not confirmed ${payouts} of batch ${batchId}. Affkit repeats each request at least once an hour, and nothing is paid twice.`,
      'Do not pay these payouts in another way. If the reason is your account, such as a balance that is too low, fix it there.',
    ],
  };
  const [title, text, advice] = texts[problem];
  const reason = toOneLine(batch.reason ?? '');
  return {
    subject: `${title}: ${program}`,
    greeting: greet(batch.name),
    paragraphs: [text, advice],
    ...(reason !== '' && { facts: [['Reason', reason]] }),
    ...(url !== null && { button: { label: 'Open the batches', url } }),
    notes: [],
  };
}
