import { isolate } from '../../format/isolate.ts';
import { formatCount } from '../../format/number.ts';
import { plural } from './plural.ts';

const countOf = (count: number): string => plural(count, 'payout', 'payouts');

export const title = 'Payout batches';
export const intro =
  'A batch contains payouts that are paid together: with a file for your bank or payment service, or directly by a payment service. After you have used a file, import the report to mark the payouts as paid.';
export const none = 'No batches yet. To make one, select payouts on the page Payouts.';
export const goToPayouts = 'Go to the payouts';
export const batch = 'Batch';
export const batchNumber = (id: number): string => `Batch ${id}`;
export const payouts = 'Payouts';
export const result = 'Result';
export const open = (count: number): string => `${formatCount(count)} open`;
export const paid = (count: number): string => `${formatCount(count)} paid`;
export const failed = (count: number): string => `${formatCount(count)} failed`;
export const cancelled = (count: number): string => `${formatCount(count)} canceled`;
export const unclear = (count: number): string => `${formatCount(count)} unclear`;
export const actions = 'Actions';
export const details = 'Details';
export const detailsOf = (id: number): string => `Details of batch ${id}`;
export const download = 'Download';
export const downloadFile = (id: number): string => `Download the file of batch ${id}`;
export const importReport = 'Import the report';
export const importFor = (id: number): string => `Import the report of batch ${id}`;

/** The text for each channel in the API. */
export const channels = {
  'file:paypal': 'PayPal (CSV)',
  'file:wise': 'Wise (CSV)',
  'file:sepa': 'Bank, SEPA (XML)',
  'file:csv': 'All details (CSV)',
} as const;

/** The services that send payouts without a file, by their channel in the API. */
const providers: Readonly<Record<string, string>> = {
  'provider:paypal': 'PayPal',
  'provider:stripe': 'Stripe',
};
/** The name of the service, or null for a file. */
export const providerOf = (channel: string): string | null => providers[channel] ?? null;
export const fileFor = (text: string): string => `A file: ${text}`;
export const sentBy = (provider: string): string => `Sent by ${provider}`;

export const makeTitle = 'Make a payout batch';
export const make = 'Make the file';
export const next = 'Continue';
export const channel = 'How to pay';
export const channelHint =
  'Partners choose how they are paid. Partners whose payout details do not match your choice are left out and listed separately.';
export const currency = 'Currency';
export const currencyHint = 'A batch has one currency. Nothing is converted.';
export const inThisBatch = 'Payouts of this batch';
export const noDetails = 'No payout details';
export const detailsChanged = (date: string): string => `Details changed ${date}`;
export const recentChanges =
  'If payout details changed recently, ask the partner before you pay. Somebody else may have changed them.';
export const fixedWarning =
  'Until you import the result, you cannot cancel these payouts. If a sale is refunded in the meantime, the partner’s next payout is lower.';
export const sendIntro = (provider: string): string =>
  `${provider} sends the money at once, from the account of this service. You confirm on the next page.`;
export const sendTitle = (sum: string, count: number): string => `Send ${sum} in ${countOf(count)}?`;
export const send = (sum: string): string => `Send ${sum} now`;
export const sendWarning = (provider: string): string =>
  `${provider} pays the partners at once, from the account of this service. You cannot take the money back here.`;
export const sendDetails =
  'Partners whose payout details do not match this way to pay are left out. The results arrive automatically. Each payout is then marked as paid, or you can send it again.';
export const sending = (count: number, provider: string): string =>
  `${provider} is sending ${countOf(count)}. You can close this window. The results arrive automatically.`;
export const made = (count: number): string => `The file has ${countOf(count)}.`;
export const nothingFits = 'None of the payouts can be included, so no batch was created.';
export const leftOut = (count: number): string => `${countOf(count)} left out`;

/** Why a payout was left out of a batch, for each reason in the API. */
export const reasons: Readonly<Record<string, string>> = {
  not_found: 'The payout does not exist.',
  not_pending: 'The payout is already paid or canceled.',
  in_batch: 'The payout is in another batch. Import the report of that batch first.',
  zero_amount: 'Refunds have reduced the amount to zero.',
  below_minimum: 'The amount is below the minimum payout.',
  other_currency: 'The partner’s account accepts only another currency.',
  no_details: 'The partner has not entered payout details.',
  other_method: 'The partner chose another way to be paid.',
  amount_too_large: 'The amount is too large for this payout method.',
  unsupported_amount: 'This payout method does not accept so many decimal places in this currency.',
  unsupported_text:
    'The name or the email address contains characters that this payout method does not support.',
  partner_excluded: 'The partner was rejected or banned. Cancel the payout, or mark it as paid.',
  batch_full: 'The batch is full. Make another one.',
};

export const results = 'Results';
export const itemOf = (partner: string, amount: string): string => `${isolate(partner)}: ${amount}`;
export const more = (count: number): string => `${formatCount(count)} more payouts are not shown.`;
export const reference = (batch: number, payout: number): string => `P${batch}-${payout}`;
/** The text for each state of an item: its result or, while there is none, its state at the payment service. */
export const states = {
  sent: 'No result yet',
  queued: 'Waiting',
  sending: 'Being sent',
  accepted: 'Accepted',
  unclear: 'Unclear',
  paid: 'Paid',
  failed: 'Failed',
  cancelled: 'Canceled',
} as const;
export const unclearAdvice = (provider: string, payment: string): string =>
  `It is unknown whether this payout was paid. If you send it again, the partner may be paid twice. Look up ${payment} at ${provider}, then import the result.`;

export const cancelBatch = 'Cancel the batch';
export const cancelTitle = (id: number): string => `Cancel batch ${id}?`;
export const cancelUnsent = (count: number): string => `Release ${countOf(count)}`;
export const cancelWarning = (count: number): string =>
  `${countOf(count)} ${count === 1 ? 'has' : 'have'} not been sent. If you cancel the batch, another batch can send ${count === 1 ? 'it' : 'them'}.`;
export const cancelFile = 'The file of this batch is then no longer available.';
export const cancelProvider = (sent: number): string =>
  sent === 0
    ? 'Nothing was sent.'
    : `${countOf(sent)} of this batch may have been sent, and ${sent === 1 ? 'stays' : 'stay'} in it until the result arrives.`;

export const format = 'Source of the report';
export const formats = { csv: 'Your own CSV file', paypal: 'PayPal', wise: 'Wise' } as const;
export const chooseFile = 'Choose a file';
export const paste = 'Or paste the report';
export const pasteExample =
  'payout_id,status,reference,reason\n12,paid,SEPA 2026-01,\n13,failed,,Account closed';
export const pasteHint =
  'The first line names the columns. Your own CSV file needs the columns payout_id and status (paid or failed), and can have reference and reason. You can also paste cells from a spreadsheet.';
export const check = 'Check the report';
export const importRows = (count: number): string => `Record ${plural(count, 'result', 'results')}`;
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
export const checked = (counts: Counts): string => `Nothing is recorded yet: ${describe(counts)}.`;
export const booked = (counts: Counts): string => `Recorded: ${describe(counts)}.`;
export const rows = 'Rows of the report';
export const line = (line: number): string => `Line ${line}`;
export const payout = (id: number): string => `Payout ${id}`;
export const rowPaid = 'Paid';
export const rowFailed = 'Failed';
export const rowOpen = 'No result yet';
export const rowUnchanged = 'Already recorded';
export const rowError = 'Error';
