export const clearFilters = 'Clear the filters';
export const actionsFor = (name: string): string => `Actions for ${name}`;
export const add = 'Add';
export const approve = 'Approve';
export const cancel = 'Cancel';
export const changeFailed = 'The change failed.';
export const clear = 'Clear';
export const close = 'Close';
export const copy = 'Copy';
export const create = 'Create';
export const done = 'Done';
export const edit = 'Edit';
export const goToPartners = 'Go to the partners';
export const reject = 'Reject';
export const remove = 'Remove';
export const save = 'Save';
export const tryAgain = 'Try again';
export const undo = 'Undo';
export const why = 'Why?';

export const name = 'Name';
export const email = 'Email';
export const emailMissing = 'Enter an email address, such as ana@example.com.';
export const nameMissing = 'Enter a name.';
export const partner = 'Partner';
export const unnamedPartner = (id: number): string => `Partner ${id}`;
export const partners = 'Partners';
export const allPartners = 'All partners';
export const status = 'Status';
export const allStatuses = 'All statuses';

/** By the value of `status` in the API. */
export const statuses = {
  active: 'Active',
  approved: 'Approved',
  banned: 'Banned',
  cancelled: 'Canceled',
  inactive: 'Inactive',
  paid: 'Paid',
  pending: 'Pending',
  refunded: 'Refunded',
  rejected: 'Rejected',
  reversed: 'Reversed',
} as const;

export const amount = 'Amount';
export const amountIn = (currency: string): string => `Amount in ${currency}`;
export const created = 'Created';
export const date = 'Date';
export const product = 'Product';
export const sale = 'Sale';
export const saleAmount = 'Sale amount';
export const commission = 'Commission';
export const commissions = 'Commissions';
export const link = 'Link';
export const links = 'Links';
export const payouts = 'Payouts';
export const sales = 'Sales';
export const clicks = 'Clicks';
export const signUps = 'Sign-ups';
export const customers = 'Customers';
export const payable = 'Payable';
export const balance = 'Balance';
