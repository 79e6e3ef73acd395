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

/** The visible text is short, because the field stands beside another one on a narrow screen. */
export const selectAll = (
  <>
    Select all<span class="hidden"> rows of this page</span>
  </>
);
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
