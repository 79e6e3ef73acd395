import { plural } from './plural.ts';

export const balance = 'Balance';
export const waiting = 'In review';
export const onHold = 'On hold';
export const inPayout = 'In a payout';
export const waitingHint = 'Waits for an approval or the end of a dispute.';
export const onHoldHint = 'Waits until refunds are unlikely.';
export const inPayoutHint = 'The payout is created, and waits for the payment.';
export const payableHint = 'A payout would include it now.';
export const paidHint = 'All payouts so far.';
export const balanceIn = (currency: string): string => `Balance in ${currency}`;

export const nextPayout = 'Next payout';
export const paidByProgram = (program: string): string => `${program} pays it with its next payout.`;
export const nothingPayable = 'Nothing is payable yet.';
export const plannedFor = (date: string): string => `The next payouts are planned for ${date} (UTC).`;
export const belowMinimum = (amount: string, minimum: string): string =>
  `${amount} waits for more earnings, because payouts start at ${minimum}.`;
export const releasesOn = (amount: string, date: string): string =>
  `${amount} is on hold. The next hold ends on ${date} (UTC).`;
export const onTheWay = (amount: string): string => `${amount} is on its way: the payout is created.`;
export const inReview = (amount: string): string =>
  `${amount} waits for an approval or the end of a dispute.`;
export const negative = (amount: string): string =>
  `Since your last payout, refunds took back ${amount} more than you earned. Your next payout is lower by this amount.`;

export const terms = 'Your terms';
export const noTerms = 'Sales earn nothing at the moment. Ask the program why.';
export const clickCounts = (days: number): string =>
  `A sale earns within ${plural(days, 'day', 'days')} after a click on your link.`;
export const held = (days: number): string =>
  days === 0
    ? 'Earnings are payable at once.'
    : `Earnings are held for ${plural(days, 'day', 'days')}, in case of a refund.`;
export const forProduct = (product: string): string => `Product ${product}`;

export const latest = 'Latest earnings';
export const all = 'All earnings';
export const noEarnings = 'No earnings yet. Share your link: its first sale appears here.';
export const toLinks = 'Go to your links';
