import { currencyExponent, type PayoutResultFormat } from '@affkit/protocol';
import { isItemReference, readItemReference } from '../domain/payout-files/payout-file.ts';
import type { PayoutResult } from '../management/payout-results.ts';
import { isRejection, Rejection } from '../rejection.ts';
import { readCsvFile } from './csv-file.ts';

const MAX_ROWS = 5_000;
const MAX_TEXT = 255;

/**
 * For each field, the names of the columns that may contain it, in lower case. The first column that exists
 * and is not empty is used.
 */
interface ReportFormat {
  /** The columns that contain the payout's reference in the batch. */
  readonly key: readonly string[];
  /**
   * Whether the key may also be the bare id of a payout. Must be false for reports that may contain other
   * transfers, because the reference of another transfer may happen to equal the id of a payout.
   */
  readonly allowsBareId?: boolean;
  readonly status: readonly string[];
  readonly reference: readonly string[];
  readonly reason: readonly string[];
  readonly amount: readonly string[];
  readonly currency: readonly string[];
  readonly paidStatuses: readonly string[];
  readonly failedStatuses: readonly string[];
  /** The statuses of payments that are neither paid nor failed yet. */
  readonly openStatuses: readonly string[];
}

/** Statuses: https://developer.paypal.com/docs/payouts/standard/payouts-web/ and https://wise.com/help */
const REPORT_FORMATS: Readonly<Record<PayoutResultFormat, ReportFormat>> = {
  paypal: {
    key: ['customer id', 'unique id', 'sender item id', 'sender_item_id'],
    status: ['status', 'transaction status', 'transaction_status'],
    reference: ['transaction id', 'transaction_id', 'payout item id'],
    reason: ['reason', 'error', 'error message', 'reason code'],
    amount: ['amount', 'payment amount', 'gross'],
    currency: ['currency', 'currency code'],
    paidStatuses: ['success', 'completed'],
    failedStatuses: [
      'failed',
      'returned',
      'blocked',
      'refunded',
      'reversed',
      'denied',
      'canceled',
      'cancelled',
    ],
    openStatuses: ['pending', 'unclaimed', 'onhold', 'on hold', 'processing', 'new'],
  },
  wise: {
    key: ['reference', 'paymentreference'],
    status: ['status'],
    reference: ['id', 'transferwise id', 'transfer id'],
    reason: ['reason', 'error'],
    amount: ['target amount (after fees)', 'target amount', 'amount'],
    currency: ['target currency', 'targetcurrency', 'currency'],
    paidStatuses: ['completed', 'outgoing_payment_sent', 'sent'],
    failedStatuses: ['cancelled', 'canceled', 'refunded', 'funds_refunded', 'bounced_back'],
    openStatuses: ['processing', 'pending', 'incoming_payment_waiting', 'funds_converted', 'scheduled'],
  },
  csv: {
    key: ['payout_id'],
    allowsBareId: true,
    status: ['status'],
    reference: ['reference'],
    reason: ['reason'],
    amount: ['amount'],
    currency: ['currency'],
    paidStatuses: ['paid'],
    failedStatuses: ['failed'],
    openStatuses: ['sent', 'pending'],
  },
};

/** A row about a payment that has no result yet. */
interface OpenRow {
  readonly payoutId: number;
  readonly status: 'sent';
  readonly isChanged: false;
}

/** A row of the report, with the number of the last line that it occupies. */
export interface ReportRow {
  readonly line: number;
  readonly result: PayoutResult | OpenRow | Rejection;
}

/** Reads the results of a batch from the report of a bank or payment service. */
export function readPayoutReport(
  bytes: Uint8Array | 'too_large',
  format: PayoutResultFormat,
  batch: { readonly id: number; readonly currency: string },
): ReportRow[] | Rejection {
  const reportFormat = REPORT_FORMATS[format];
  const file = readCsvFile(bytes, {
    maxRows: MAX_ROWS,
    readHeader: (names) => readHeader(names, reportFormat),
    isRagged: true,
  });
  if (isRejection(file)) return file;
  return rejectRepeatedRows(
    file.rows.map(({ cells, line }) => ({
      line,
      result: readRow(cells, reportFormat, batch, file.hasDecimalComma),
    })),
  );
}

/**
 * If a payout has several rows, rejects all of them except the first. If the first row says `paid` and another row
 * `failed`, or the reverse, it is unknown which one is right. The first row is then rejected too, so that it neither
 * pays nor releases the payout.
 */
function rejectRepeatedRows(rows: readonly ReportRow[]): ReportRow[] {
  const statusOf = ({ result }: ReportRow) => (isRejection(result) ? null : result.status);
  const isResultRow = (row: ReportRow) => statusOf(row) === 'paid' || statusOf(row) === 'failed';
  const byPayout = Map.groupBy(rows, ({ result }) => (isRejection(result) ? null : result.payoutId));
  const otherLines = new Map<ReportRow, number>();
  for (const [payoutId, [first, ...others]] of byPayout) {
    if (payoutId === null || first === undefined) continue;
    for (const other of others) otherLines.set(other, first.line);
    const contradiction =
      isResultRow(first) && others.find((row) => isResultRow(row) && statusOf(row) !== statusOf(first));
    if (contradiction) otherLines.set(first, contradiction.line);
  }
  return rows.map((row) => {
    const otherLine = otherLines.get(row);
    if (otherLine === undefined) return row;
    const message = `This payout is also on line ${otherLine}. Remove one of the two rows.`;
    return { line: row.line, result: invalid(message) };
  });
}

function readHeader(names: readonly string[], reportFormat: ReportFormat): string[] | Rejection {
  const header = names.map((name) => name.toLowerCase());
  const missing = [reportFormat.key, reportFormat.status].find(
    (any) => !any.some((name) => header.includes(name)),
  );
  if (missing === undefined) return header;
  const known = missing.map((name) => `"${name}"`).join(' or ');
  return invalid(
    `The first line must contain the column ${known}. Separate columns by commas, semicolons, or tabs.`,
  );
}

function readRow(
  record: Readonly<Record<string, string>>,
  reportFormat: ReportFormat,
  batch: { readonly id: number; readonly currency: string },
  hasDecimalComma: boolean,
): PayoutResult | OpenRow | Rejection {
  const cell = (names: readonly string[]) => {
    const text = names.map((name) => record[name]).find((value) => value !== undefined && value !== '');
    return text === undefined ? null : text.replaceAll('\0', '').toWellFormed().slice(0, MAX_TEXT);
  };
  const key = cell(reportFormat.key);
  if (key === null) return invalid(`The row has no ${reportFormat.key[0]}. Mark the payout as paid by hand.`);
  const bareId = reportFormat.allowsBareId && /^\d{1,15}$/.test(key) ? Number(key) : null;
  const payoutId = readItemReference(batch.id, key) ?? bareId;
  if (payoutId === null || payoutId === 0) return notInBatch(key, batch.id);
  const reference = cell(reportFormat.reference);
  // The advertiser may have added results to the payout file of the batch. In such a file, this column contains the
  // payout's reference in the batch.
  if (reference !== null && isItemReference(reference)) {
    const referredId = readItemReference(batch.id, reference);
    if (referredId === null) return notInBatch(reference, batch.id);
    if (referredId !== payoutId) {
      return invalid('payout_id and reference in this row belong to different payouts. Correct one of them.');
    }
  }
  const status = (cell(reportFormat.status) ?? '').toLowerCase();
  if (reportFormat.openStatuses.includes(status)) return { payoutId, status: 'sent', isChanged: false };
  const isPaid = reportFormat.paidStatuses.includes(status);
  if (!isPaid && !reportFormat.failedStatuses.includes(status)) {
    const known = [
      ...reportFormat.paidStatuses,
      ...reportFormat.failedStatuses,
      ...reportFormat.openStatuses,
    ].join(', ');
    return invalid(`The status "${status.slice(0, 40)}" is not valid. Valid statuses: ${known}.`);
  }
  const amount = cell(reportFormat.amount);
  const currency = cell(reportFormat.currency)?.toUpperCase() ?? null;
  const amountCurrency = currency ?? batch.currency;
  const amountCents = amount === null ? null : readAmount(amount, amountCurrency, hasDecimalComma);
  if (amount !== null && amountCents === null) {
    return invalid(`The amount "${amount.slice(0, 40)}" is not a valid amount in ${amountCurrency}`);
  }
  return {
    payoutId,
    status: isPaid ? 'paid' : 'failed',
    reference,
    reason: isPaid ? null : (cell(reportFormat.reason) ?? status),
    amountCents,
    currency,
  };
}

/**
 * Reads a decimal, such as `1,234.50`, `1.234,50`, or `-5`, without floating point. The minus sign is ignored,
 * because some reports show sent amounts as negative numbers. If three digits follow the last separator, they are
 * decimals only if that separator is the decimal separator of the file.
 */
function readAmount(text: string, currency: string, hasDecimalComma: boolean): number | null {
  const at = Math.max(text.lastIndexOf(','), text.lastIndexOf('.'));
  const hasDecimals = at >= 0 && (text.length - at !== 4 || (text[at] === ',') === hasDecimalComma);
  const whole = (hasDecimals ? text.slice(0, at) : text).replaceAll(/[.,\s]/g, '').replace('-', '');
  const decimals = hasDecimals ? text.slice(at + 1) : '';
  const exponent = currencyExponent(currency);
  if (!/^\d{1,15}$/.test(whole) || !/^\d{0,4}$/.test(decimals)) return null;
  if (/[1-9]/.test(decimals.slice(exponent))) return null;
  return Number(whole + decimals.slice(0, exponent).padEnd(exponent, '0'));
}

function notInBatch(name: string, batchId: number): Rejection {
  return invalid(
    `"${name.slice(0, 40)}" is not a payout of batch ${batchId}. Import this row into the batch that contains the payout.`,
  );
}

function invalid(message: string): Rejection {
  return new Rejection('invalid_field', message);
}
