import { plural } from './plural.ts';

const countOf = (count: number): string => plural(count, 'commission', 'commissions');

export const approve = 'Approve';
export const approved = (count: number): string => `${countOf(count)} approved.`;
export const reject = 'Reject';
export const rejected = (count: number): string => `${countOf(count)} rejected.`;
export const rejectWarning = 'The partners earn nothing for these sales. A rejection cannot be undone.';
export const bulkTitle = (action: string, count: number): string => `${action} ${countOf(count)}?`;
