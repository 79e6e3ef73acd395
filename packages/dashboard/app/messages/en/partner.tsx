import type { ComponentChildren, JSX } from 'preact';
import * as common from './common.ts';

export const copyEmail = 'Copy the email address';
export const editTitle = 'Edit the partner';
export const emailHint = 'The change applies to every program of this workspace.';

export const minimum = (amount: string): string => `Minimum payout ${amount}`;

export const lastDays = (days: number): string => `Last ${days} days`;

/** The text for each measure in the API. */
export const measures: Readonly<Record<string, string>> = {
  clicks: common.clicks,
  leads: common.signUps,
  sales: common.sales,
  revenue: common.revenue,
  commission: common.commission,
};

export const amountsIn = 'Amounts in';
export const inCurrency = (currency: string): string => `Amounts in ${currency}`;
export const measureIn = (measure: string, currency: string): string => `${measure}, ${currency}`;
export const perDay = (measure: string): string => `${measure} per day, UTC`;
export const noneBefore = 'None before';
export const nothing = 'Nothing in this period.';
/** The text for each direction of the change. */
export const changes = {
  up: (change: string): string => `+${change}`,
  down: (change: string): string => `−${change}`,
} as const;
export const changeFrom = (change: JSX.Element, before: string): ComponentChildren => (
  <>
    {change} from {before}
  </>
);

export const earnings = 'Earnings';
export const equation = ({
  earned,
  deducted,
  writtenOff,
  paid,
  balance,
}: Readonly<Record<'earned' | 'deducted' | 'paid' | 'balance', string>> & {
  readonly writtenOff: string | null;
}): string =>
  `${earned} earned − ${deducted} deducted for refunds${writtenOff === null ? '' : ` + ${writtenOff} written off`} − ${paid} paid = ${balance} balance.`;
export const notReduced = 'Nothing has been deducted or paid yet.';
export const toDeduct = (amount: string): string => `The next payable amounts are reduced by ${amount}.`;
export const currency = 'Currency';
export const inReview = 'In review';
export const onHold = 'On hold';
export const inPayout = 'In a payout';
export const noLink = 'This partner has no link yet.';

export const all = (count: string): string => `All ${count}`;
export const latestCommissions = 'Latest commissions';
export const noCommissions = 'No commissions yet. The first sale to a customer of this partner appears here.';
export const latestPayouts = 'Latest payouts';
export const noPayouts = 'No payouts yet.';

export const policies = 'Policies that apply';
export const simulate = 'Try a sale in the simulator';
export const noPolicy = 'No policy applies, so this partner earns no commission.';
export const thisPartner = 'This partner';
export const morePolicies = (shown: number, page: (text: string) => JSX.Element): ComponentChildren => (
  <>
    The program has more than {shown} policies. See the others on the {page('policies page')}.
  </>
);
