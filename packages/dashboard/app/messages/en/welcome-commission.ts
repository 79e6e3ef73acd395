import { plural } from './plural.ts';

export const title = 'What do partners earn?';
export const intro = 'You can change this later. Products and partners can have their own commissions.';
export const submit = 'Create the program';
export const lost =
  'No reply arrived, so the program may have been created. Look for it in the list of programs before you try again.';
export const windowDays = 'Days after a click';
export const windowHint = 'The time in which a sale earns a commission.';
export const holdDays = 'Days to hold commissions';
export const holdHint = 'The time for refunds before a payout.';

const days = (count: number): string => plural(count, 'day', 'days');

export const example = (terms: {
  readonly sale: string;
  readonly commission: string;
  readonly windowDays: number;
}): string =>
  `A sale of ${terms.sale} earns the partner ${terms.commission} if the customer clicked the partner’s link at most ${days(terms.windowDays)} before the sale.`;
export const payableAtOnce = 'The commission can be paid out at once.';
export const payableAfter = (count: number): string => `The commission can be paid out after ${days(count)}.`;
export const noExample = 'Fill in all fields to see an example.';
