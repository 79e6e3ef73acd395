import type { JSX } from 'preact';
import { formatCount } from '../../format/number.ts';

export const selectedRows = 'Selected rows';
export const selected = (count: number): string => `${formatCount(count)} selected`;
export const selectedSum = (selected: string, amounts: string): string => `${selected} · ${amounts}`;
/** An action for a number of rows, such as `Approve 3`. */
export const forRows = (action: string, count: number): string => `${action} ${formatCount(count)}`;
export const someUnchanged = (failed: number, total: number): string =>
  `${formatCount(failed)} of ${formatCount(total)} were not changed`;
export const rowChanged = 'Done';
export const rowUnchanged = 'Not changed';

export const candidates = 'Policies checked';
export const applied = 'Applied';
/** The reason why a policy was not chosen, for each verdict. */
export const lostBecause: Readonly<Record<string, string>> = {
  less_specific: 'Another policy is more specific.',
  other_product: 'This policy is for another product.',
  other_partner: 'This policy is for another partner.',
  replaced: 'The draft replaces this policy.',
};
export const perSale = (amount: string): string => `${amount} per sale`;
/** @param partner the name of the partner, if the policy is for a single partner */
export const policyScope = (policy: number | null, product: string | null, partner: string | null): string =>
  `${policy === null ? 'Draft' : `Policy ${policy}`}: ${product === null ? 'all products' : `product ${product}`}, ${partner ?? 'all partners'}`;

export const copied = 'Copied';
export const showSecret = 'Show';
export const hideSecret = 'Hide';
export const csv = 'CSV';
export const filters = (count: number): string => (count === 0 ? 'Filters' : `Filters (${count})`);
export const dateFrom = 'From (UTC)';
export const dateTo = 'To (UTC)';
export const betweenDates = 'to';
export const choosePartner = 'Choose a partner from the list.';
export const request = (id: JSX.Element): JSX.Element => <>Request {id}</>;

export const selectAll = 'Select all rows of this page';
export const selectRow = 'Select this row';
export const sortBy = 'Sort by';
export const sortDefault = 'Sort: default';
export const ascending = (title: string): string => `${title}, ascending`;
export const descending = (title: string): string => `${title}, descending`;
export const pages = 'Pages';
export const previousPage = 'Previous page';
export const nextPage = 'Next page';
export const rowOfTotal = (row: number, total: number): string =>
  `${formatCount(row)} of ${formatCount(total)}`;
export const rowsOfTotal = (first: number, last: number, total: number): string =>
  `${formatCount(first)}–${rowOfTotal(last, total)}`;

export const leaveTitle = 'Leave without saving?';
export const leaveSubmit = 'Discard the changes';
export const leaveWarning = 'Your changes are not saved yet.';
