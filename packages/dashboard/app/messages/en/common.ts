export const clearFilters = 'Clear the filters';
export const add = 'Add';
export const cancel = 'Cancel';
export const changeFailed = 'The change failed.';
export const close = 'Close';
export const copy = 'Copy';
export const done = 'Done';
export const edit = 'Edit';
export const remove = 'Remove';
export const save = 'Save';
export const tryAgain = 'Try again';
export const undo = 'Undo';

export const name = 'Name';
export const email = 'Email';
export const emailMissing = 'Enter an email address, such as ana@example.com.';
export const nameMissing = 'Enter a name.';
export const partner = 'Partner';
export const partners = 'Partners';
export const status = 'Status';
export const allStatuses = 'All statuses';

/** By the value of `status` in the API. */
export const statuses = {
  pending: 'Pending',
  approved: 'Approved',
  rejected: 'Rejected',
  banned: 'Banned',
} as const;

export const amount = 'Amount';
export const date = 'Date';
export const commissions = 'Commissions';
export const links = 'Links';
export const payouts = 'Payouts';
export const sales = 'Sales';
export const clicks = 'Clicks';
export const signUps = 'Sign-ups';
export const customers = 'Customers';
export const payable = 'Payable';
export const balance = 'Balance';
