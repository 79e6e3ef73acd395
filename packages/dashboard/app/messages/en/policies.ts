import { plural } from './plural.ts';

export const title = 'Commission policies';
export const intro =
  'The most specific policy applies: product and partner, then product, then partner, then the default.';
export const add = 'Add a policy';
export const search = 'Search policies';
export const searchExample = 'Product or partner';
export const type = 'Type';
export const allTypes = 'All types';
export const noMatch = 'No policies match these filters.';
export const none = 'This program has no policy, so sales earn no commission. Add a policy.';
export const number = 'Number';
export const isDefault = 'Default';
export const allProducts = 'All products';
export const subscriptions = 'Subscriptions';
export const version = 'Version';

export const percentOf = (rate: number): string => `${rate}%`;
export const allRenewals = 'All renewals';
export const firstPaymentOnly = 'First payment only';
export const forMonths = (months: number): string => `For ${plural(months, 'month', 'months')}`;

export const actionsFor = (id: number): string => `Actions for policy ${id}`;
export const edit = 'Edit…';
export const editTitle = 'Edit the policy';
export const fromNowOn = 'The change applies to future sales. Earlier commissions do not change.';
export const removeWithDialog = 'Delete…';
export const remove = 'Delete';
export const removeTitle = 'Delete this policy?';
export const removeWarning = (terms: string): string =>
  `Future sales no longer earn ${terms}. The next policy that matches applies instead. Earlier commissions do not change.`;

/** The text for each type of commission in the API. */
export const types = {
  percent: 'Percentage of the sale',
  flat: 'Flat amount per sale',
} as const;

export const percentage = 'Percentage';
export const percentageWrong = 'Enter a percentage from 0 to 100, with at most two decimals.';
export const productId = 'Product id';

/** The text for each choice for renewals in the form. */
export const renewals = {
  all: 'All renewals earn a commission',
  months: 'Renewals earn a commission for some months',
  first: 'Only the first payment earns a commission',
} as const;

export const months = 'Months';
export const monthsWrong = 'Enter a whole number of months from 1 to 1,200.';
