import type { JSX } from 'preact';
import { isolate } from '../../format/isolate.ts';
import { wholeDays } from './explanation.ts';
import { plural } from './plural.ts';

export const intro = 'Find out why a partner did or did not earn a commission.';
export const search = 'Transaction id, click id, customer key, or commission';
export const searchExample = 'Order, click, or customer id';
export const explain = 'Explain';
export const latestSales = 'Latest sales with a commission';
export const start =
  'You see every decision about the order, click, or customer, and the rule behind each decision. To find rejected clicks of a link, enter its code.';

export const nothingFound = (id: string): string =>
  `No order, click, or customer has the id “${isolate(id)}”, and none of the last 1,000 rejected calls contained it. Check that your server sent the call with this program’s token.`;
export const searchPartners = 'Search the partners instead';
export const rejectedCalls = 'Rejected calls';
export const onlyRejected = (id: string, calls: number): string =>
  `Nothing was recorded under “${isolate(id)}”, because ${calls === 1 ? 'this call was' : 'these calls were'} rejected.`;
export const callFacts = (status: number, code: JSX.Element, request: JSX.Element): JSX.Element => (
  <>
    Status {status}, code {code}, request {request}
  </>
);
export const callFactsWithoutToken = (
  status: number,
  code: JSX.Element,
  request: JSX.Element,
): JSX.Element => <>{callFacts(status, code, request)}, sent without the token</>;
export const callFields = 'Fields of the call';

export const salesOfCustomer = 'Sales of this customer';
export const saleNumber = (id: number): string => `Sale ${id}`;
export const noSale = 'No sale of this customer is recorded. See below what has happened so far.';
export const saleRejected =
  'A sale of this customer was rejected, so it is not recorded. “Rejected calls” below says why.';
export const otherSales = (id: string): string =>
  `The steps below do not say which sale “${isolate(id)}” belongs to. Choose a sale to see its verdict.`;
export const otherId = (id: string): string =>
  `“${isolate(id)}” is not the transaction id of this sale. It may be another id of the same payment.`;
export const verdict = 'Verdict';
export const undecided = 'Not decided yet';
export const undecidedReason = 'The sale is recorded. Its commission is decided within a minute.';
export const noCommission = 'No commission';
export const deductedInTotal = (amount: string): string => `Deducted in total: ${amount}.`;
export const tryPolicy = 'Try another policy';
export const tryWindow = 'Try a longer window';
export const sale = (id: string | number, amount: string, time: JSX.Element): JSX.Element => (
  <>
    Sale <bdi>{id}</bdi> of {amount}, {time}
  </>
);

export const customer = 'Customer';
export const noPartner = 'None';
export const customerKey = 'Customer key';
export const claimedKey = '(claimed by a browser)';
export const clickId = 'Click id';
export const lastClick = 'Last click';
export const signedUp = 'Signed up';
export const firstPurchase = 'First purchase';

export const ledger = 'Ledger';
export const notSealed = 'Not sealed yet. The entry is added to the hash chain within a minute.';
export const ledgerEntry = (position: number | null, hash: JSX.Element): JSX.Element => (
  <>
    Entry {position}, hash {hash}
  </>
);

export const timeline = 'What happened';
export const decisionMissing = 'Not shown';
export const decisionMissingReason = 'The decision about this sale is among the steps that are missing here.';
export const stepsMissing = (count: number): string =>
  `This customer has too many steps to show here. ${plural(count, 'step', 'steps')} after the first 100 ${count === 1 ? 'is' : 'are'} missing.`;
/** The text for each step of a trace in the API. */
export const steps = {
  click: 'Click',
  lead: 'Sign-up',
  sale: 'Sale',
  commission: 'Commission',
  no_commission: 'No commission',
  approval: 'Approved',
  rejection: 'Rejected',
  refund: 'Refund',
  adjustment: 'Adjustment',
  payout: 'Payout',
  webhook: 'Webhook',
  ledger: 'Ledger',
  note: 'Note',
  missing: 'Missing',
} as const;
export const recordedFields = 'Show details';

export const window = 'Attribution window';
const saleAfter = (days: string): string => `The sale came ${days} after the last click.`;
const windowOf = (days: number): string => `window of ${plural(days, 'day', 'days')}`;
export const saleInWindow = (days: number, windowDays: number): string =>
  `${saleAfter(wholeDays(days))} That is within the ${windowOf(windowDays)}.`;
export const saleTooLate = (days: number, windowDays: number): string =>
  `${saleAfter(plural(days, 'day', 'days'))} The ${windowOf(windowDays)} had ended.`;
export const saleOnDay = (days: number): string =>
  days < 1 ? 'Sale within a day' : `Sale after ${wholeDays(days)}`;
export const lateSaleOnDay = (days: number): string => `Sale after ${plural(days, 'day', 'days')}`;
export const clickOn = (date: string): string => `Click, ${date}`;
export const windowEnds = (date: string): string => `Window ends, ${date}`;
