import { formatCount } from '../../format/number.ts';
import { plural } from './plural.ts';

const countOf = (count: number): string => plural(count, 'payout', 'payouts');

export const title = 'Payout files';
export const intro =
  'Each file was made for a money service or a bank. Import its report to mark the payouts as paid.';
export const none = 'No files yet. Choose payouts, and make a file for your money service or bank.';
export const goToPayouts = 'Go to the payouts';
export const file = 'File';
export const fileNumber = (id: number): string => `File ${id}`;
export const inFile = (id: number): string => `In file ${id}`;
export const payouts = 'Payouts';
export const result = 'Result';
export const open = (count: number): string => `${formatCount(count)} open`;
export const paid = (count: number): string => `${formatCount(count)} paid`;
export const failed = (count: number): string => `${formatCount(count)} failed`;
export const actions = 'Actions';
export const download = 'Download';
export const downloadFile = (id: number): string => `Download file ${id}`;
export const importReport = 'Import the report';
export const importFor = (id: number): string => `Import the report of file ${id}`;

/** Texts by the channel in the API. */
export const channels = {
  'file:paypal': 'PayPal (CSV)',
  'file:wise': 'Wise (CSV)',
  'file:sepa': 'Bank, SEPA (XML)',
  'file:csv': 'All details (CSV)',
} as const;

/** The services that send payouts without a file, by their channel in the API. */
export const providers = {
  'provider:paypal': 'Sent by PayPal',
  'provider:stripe': 'Sent by Stripe',
} as const;

export const makeCount = (count: number): string => `Make a file of ${formatCount(count)}`;
export const makeTitle = 'Make a payout file';
export const make = 'Make the file';
export const channel = 'For';
export const channelHint =
  'Partners choose how they are paid. The file takes those whose payout details fit, and says who is left out.';
export const currency = 'Currency';
export const currencyHint = 'A file has one currency. Nothing is converted.';
export const fixedWarning =
  'Until you import the result, these payouts cannot be canceled, and later refunds reduce the next payout.';
export const made = (count: number): string => `The file has ${countOf(count)}.`;
export const nothingFits = 'No payout fits, so there is no file.';
export const leftOut = (count: number): string => `${countOf(count)} left out`;

/** Texts by the reason in the API. */
export const reasons: Readonly<Record<string, string>> = {
  not_found: 'The payout does not exist.',
  not_pending: 'It is paid or canceled.',
  in_batch: 'It is in another file. Import the report of that file first.',
  zero_amount: 'Refunds have lowered it to zero.',
  below_minimum: 'It is below the minimum payout.',
  other_currency: 'The partner’s account takes another currency.',
  no_details: 'The partner has not entered payout details.',
  other_method: 'The partner is paid in another way.',
  amount_too_large: 'The amount is too large for a SEPA payment.',
  unsupported_text: 'The name or the email address has characters that the file cannot contain.',
  partner_excluded: 'The partner was rejected or banned. Cancel the payout, or mark it as paid.',
  batch_full: 'The file is full. Make another one.',
};

export const format = 'Report of';
export const formats = { csv: 'Your own CSV file', paypal: 'PayPal', wise: 'Wise' } as const;
export const chooseFile = 'Choose a file';
export const paste = 'Or paste the report';
export const pasteExample =
  'payout_id,status,reference,reason\n12,paid,SEPA 2026-01,\n13,failed,,Account closed';
export const pasteHint =
  'The first line names the columns. A CSV file of your own has payout_id, status (paid or failed), reference, and reason. You can also copy the cells from a spreadsheet.';
export const check = 'Check the report';
export const importRows = (count: number): string => `Book ${plural(count, 'result', 'results')}`;
interface Counts {
  readonly paid: number;
  readonly failed: number;
  readonly unchanged: number;
  readonly rejected: number;
}
const describe = (counts: Counts): string =>
  [
    paid(counts.paid),
    ...(counts.failed > 0 ? [`${failed(counts.failed)}, which can be sent again`] : []),
    ...(counts.unchanged > 0 ? [`${formatCount(counts.unchanged)} unchanged`] : []),
    ...(counts.rejected > 0 ? [`${formatCount(counts.rejected)} with an error`] : []),
  ].join(', ');
export const checked = (counts: Counts): string => `Nothing is booked yet: ${describe(counts)}.`;
export const booked = (counts: Counts): string => `Booked: ${describe(counts)}.`;
export const rows = 'Rows of the report';
export const line = (line: number): string => `Line ${line}`;
export const payout = (id: number): string => `Payout ${id}`;
export const rowPaid = 'Paid';
export const rowFailed = 'Failed';
export const rowOpen = 'No result yet';
export const rowUnchanged = 'Known already';
export const rowError = 'Error';

export const due = (month: string, sums: string, count: number): string =>
  `The payouts of ${month} are due: ${sums}, ${countOf(count)}.`;
export const dueNow = 'Creating them pays what is payable now.';
export const ownerConfirms = 'An owner of the workspace confirms them.';
export const confirm = 'Create the payouts';
export const dismiss = 'Not this month';
export const confirmed = (count: number): string => `${countOf(count)} created.`;
