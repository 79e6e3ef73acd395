import { plural } from './plural.ts';

export const simulator = 'Simulator';
export const simulatorIntro =
  'Shows what a sale would earn now. The rules are the same as for real sales. Nothing is stored.';
export const saleAmountIn = (currency: string): string => `Sale amount in ${currency}`;
export const taxIn = (currency: string): string => `Tax in ${currency}`;
export const shippingIn = (currency: string): string => `Shipping in ${currency}`;
export const deductionsTooHigh = 'Tax and shipping together must not exceed the sale amount.';
export const products = (ids: string): string =>
  `The amount is split among these products as in the original sale: ${ids}. A product id that you enter applies to the whole sale instead.`;
export const productsLeftOut =
  'The sale contains too many products for this page, so the policies of single products are left out.';
export const noProduct = 'no product id';
export const daysOfRenewal = 'Days after first payment';
export const days = 'Days after last click';
export const daysWrong = 'Enter a whole number of days from 0 to 3,650.';
export const windowDays = 'Window in days';
export const windowWrong = 'Enter a whole number of days from 1 to 365.';
export const programWindow = (days: number): string =>
  `The program’s window is ${plural(days, 'day', 'days')}. A change applies only to future sales.`;
export const changeWindow = 'Change the window';
export const anyProduct = 'Any product';
export const anyPartner = 'Any partner';
export const isRenewal = 'The sale renews a subscription';
export const tryAnother = 'Try another policy';
export const policyToTry = 'Policy to try';
export const correctFields = 'Correct the fields above to see the result.';
export const noCommission = 'No commission';
