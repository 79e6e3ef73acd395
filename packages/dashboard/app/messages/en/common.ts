// Texts that are used on several pages.

/** The title of the browser tab. */
export const documentTitle = (title: string): string => `${title} · Affkit`;
export const brand = 'Affkit';

export const add = 'Add';
export const approve = 'Approve';
export const cancel = 'Cancel';
export const clear = 'Clear';
export const clearFilters = 'Clear the filters';
export const close = 'Close';
export const copy = 'Copy';
export const create = 'Create';
export const done = 'Done';
export const edit = 'Edit';
export const goToPartners = 'Go to the partners';
export const reject = 'Reject';
export const remove = 'Remove';
export const save = 'Save';
export const signOut = 'Sign out';
export const tryAgain = 'Try again';
export const undo = 'Undo';

export const changeFailed = 'The change failed.';
export const emailMissing = 'Enter an email address, such as ana@example.com.';
export const forbidden = 'Your role does not allow this. Ask an owner of the workspace for access.';
export const nameMissing = 'Enter a name.';
export const signOutFailed = 'Signing out failed.';

export const actions = 'Actions';
export const allPartners = 'All partners';
export const allStatuses = 'All statuses';
export const amount = 'Amount';
export const amountIn = (currency: string): string => `Amount in ${currency}`;
export const amountWrong = (example: string): string =>
  `Enter an amount such as ${example}, without thousands separators.`;
export const balance = 'Balance';
export const clicks = 'Clicks';
export const commission = 'Commission';
export const created = 'Created';
export const customers = 'Customers';
export const date = 'Date';
export const email = 'Email';
export const link = 'Link';
export const name = 'Name';
export const partner = 'Partner';
export const password = 'Password';
export const payable = 'Payable';
export const payout = 'Payout';
export const product = 'Product';
export const program = 'Program';
export const revenue = 'Revenue';
export const sale = 'Sale';
export const saleAmount = 'Sale amount';
export const sales = 'Sales';
export const signUps = 'Sign-ups';
export const status = 'Status';
export const workspace = 'Workspace';

// Names of pages, in the navigation and as titles.
export const account = 'Account';
export const apiKeys = 'API keys';
export const auditLog = 'Audit log';
export const commissions = 'Commissions';
export const emails = 'Emails';
export const events = 'Events';
export const links = 'Links';
export const members = 'Members';
export const notifications = 'Notifications';
export const overview = 'Overview';
export const partners = 'Partners';
export const payouts = 'Payouts';
export const policies = 'Policies';
export const processor = 'Payment processor';
export const settings = 'Settings';
export const setup = 'Setup';
export const webhooks = 'Webhooks';
export const why = 'Why?';

/** The text for each value of `status` in the API. */
export const statuses = {
  active: 'Active',
  approved: 'Approved',
  banned: 'Banned',
  cancelled: 'Canceled',
  draft: 'Draft',
  expired: 'Expired',
  inactive: 'Inactive',
  invited: 'Invited',
  live: 'Live',
  paid: 'Paid',
  pending: 'Pending',
  refunded: 'Refunded',
  rejected: 'Rejected',
  reversed: 'Reversed',
  revoked: 'Revoked',
} as const;

/** The text for each event that a call of the website or the server records. */
export const eventNames = {
  click: 'Click',
  lead: 'Sign-up',
  sale: 'Sale',
  refund: 'Refund',
} as const;

/** Hint for the field of a new password. */
export const passwordShort = (minimum: number): string => `At least ${minimum} characters.`;
export const partnerNumber = (id: number): string => `Partner ${id}`;
export const actionsFor = (name: string): string => `Actions for ${name}`;
export const newTrend = 'New';
export const sameTrend = 'No change';
export const periodBefore = (value: string): string => `Period before: ${value}`;
