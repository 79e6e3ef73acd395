import { isolate } from '../../format/isolate.ts';
import { plural } from './plural.ts';

export const balance = 'Balance';
export const waiting = 'In review';
export const onHold = 'On hold';
export const inPayout = 'In a payout';
export const waitingHint = 'Waiting for approval, or for a dispute to end.';
export const onHoldHint = 'Waiting until the time for refunds has passed.';
export const inPayoutHint = 'Included in a payout that is not paid yet.';
export const payableHint = 'Can be paid with the next payout.';
export const paidHint = 'The total of all your payouts.';
export const balanceIn = (currency: string): string => `Balance in ${currency}`;

export const nextPayout = 'Next payout';
export const paidByProgram = (program: string): string =>
  `${isolate(program)} pays this amount with its next payout.`;
export const notPaidNext = (program: string): string =>
  `The next payouts leave this amount out, because your enrollment has ended. Ask ${isolate(program)} to pay it.`;
export const nothingPayable = 'Nothing is payable yet.';
export const plannedFor = (date: string): string => `The next payouts are planned for ${date} (UTC).`;
export const belowMinimum = (amount: string, minimum: string): string =>
  `${amount} is below the minimum payout of ${minimum}. It is paid when you have earned more.`;
export const releasesOn = (amount: string, date: string): string =>
  `${amount} is on hold. The next hold ends on ${date} (UTC).`;
export const onTheWay = (amount: string): string => `${amount} is in a payout that is not paid yet.`;
export const inReview = (amount: string): string =>
  `${amount} is waiting for approval, or for a dispute to end.`;
export const toDeduct = (amount: string): string =>
  `Refunds or corrections exceed what is payable by ${amount}. This amount is deducted from what becomes payable next.`;

export const figures = 'Your results';

export const terms = 'Your terms';
export const noTerms = 'You earn no commission at the moment. Ask the program why.';
export const clickCounts = (days: number): string =>
  `A sale earns a commission up to ${plural(days, 'day', 'days')} after a click on your link.`;
export const held = (days: number): string =>
  days === 0
    ? 'Earnings are payable at once.'
    : `Earnings are held for ${plural(days, 'day', 'days')}, in case of a refund.`;
export const forProduct = (product: string): string => `Product ${isolate(product)}`;

export const latest = 'Latest earnings';
export const all = 'All earnings';
export const noEarnings = 'No earnings yet. Share your link. The first sale through it appears here.';
export const toLinks = 'Go to your links';
