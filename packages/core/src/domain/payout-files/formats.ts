import { isSepaIban } from '@affkit/protocol';
import { csvRecord } from '../csv.ts';
import { formatMajorUnits } from '../money.ts';
import { csvName, isSafeCell } from './csv-text.ts';
import { itemReference, type PayoutFormat, type PayoutFormats } from './payout-file.ts';
import { formatPayPalAmount, whyNotPayPalAmount } from './paypal-amount.ts';
import { renderSepa } from './sepa.ts';
import { sepaText } from './sepa-text.ts';

const MAX_NAME = 140;

/**
 * The file of PayPal's Payouts Web. It has no header. Its columns are recipient, amount, currency, customer
 * id (at most 30 characters without spaces), note (at most 400 characters), and wallet. It holds at most
 * 5,000 rows.
 * https://developer.paypal.com/docs/payouts/standard/payouts-web/
 */
const PAYPAL: PayoutFormat = {
  extension: 'csv',
  mediaType: 'text/csv; charset=utf-8',
  maxItems: 5_000,
  currencies: null,
  needsDebtor: false,
  check: ({ details, amountCents }, { currency }) => {
    if (details.method !== 'paypal' || details.email === null) return 'other_method';
    if (!isSafeCell(details.email)) return 'unsupported_text';
    return whyNotPayPalAmount(amountCents, currency);
  },
  render: ({ id, programName, currency, items }) =>
    items
      .map(({ payoutId, amountCents, details }) =>
        csvRecord([
          details.email,
          formatPayPalAmount(amountCents, currency),
          currency,
          itemReference(id, payoutId),
          csvName(programName, 400),
          'PAYPAL',
        ]),
      )
      .join(''),
};

/** The columns of Wise's templates, in their order. */
const WISE_COLUMNS = [
  'name',
  'recipientEmail',
  'paymentReference',
  'receiverType',
  'amountCurrency',
  'amount',
  'sourceCurrency',
  'targetCurrency',
];

/**
 * The batch file of Wise, with the column names of its template for bank accounts. `amountCurrency` is `target`, so
 * that the partner gets the exact amount. If a recipient has no IBAN, Wise sends the recipient a link. The file then
 * has the column `type`, with `EMAIL` or `IBAN` for each recipient. It holds at most 1,000 rows.
 * https://wise.com/help/articles/2663302/how-do-i-fill-in-my-batch-template
 */
const WISE: PayoutFormat = {
  extension: 'csv',
  mediaType: 'text/csv; charset=utf-8',
  maxItems: 1_000,
  currencies: null,
  needsDebtor: false,
  check: ({ details }) => {
    if (details.method !== 'wise' || details.account_holder === null) return 'other_method';
    if (csvName(details.account_holder, MAX_NAME) === '') return 'unsupported_text';
    return details.email === null || isSafeCell(details.email) ? null : 'unsupported_text';
  },
  render: ({ id, currency, items }) => {
    const hasIbans = items.some(({ details }) => details.iban !== null);
    const hasEmails = items.some(({ details }) => details.iban === null);
    return [
      csvRecord([...WISE_COLUMNS, ...(hasIbans ? ['IBAN'] : []), ...(hasEmails ? ['type'] : [])]),
      ...items.map(({ payoutId, amountCents, details }) =>
        csvRecord([
          csvName(details.account_holder ?? '', MAX_NAME),
          details.email,
          itemReference(id, payoutId),
          details.account_holder_type === 'company' ? 'INSTITUTION' : 'PERSON',
          'target',
          formatMajorUnits(amountCents, currency),
          currency,
          currency,
          ...(hasIbans ? [details.iban] : []),
          ...(hasEmails ? [details.iban === null ? 'EMAIL' : 'IBAN'] : []),
        ]),
      ),
    ].join('');
  },
};

/**
 * A SEPA credit transfer, in EUR: amounts up to 999,999,999.99, names of at most 70 characters, ids of at most 35.
 */
const SEPA: PayoutFormat = {
  extension: 'xml',
  mediaType: 'application/xml; charset=utf-8',
  maxItems: 5_000,
  currencies: ['EUR'],
  needsDebtor: true,
  check: ({ details, amountCents }) => {
    if (details.method !== 'bank' || details.iban === null || !isSepaIban(details.iban))
      return 'other_method';
    if (amountCents > 99_999_999_999) return 'amount_too_large';
    return sepaText(details.account_holder ?? '', 70) === null ? 'unsupported_text' : null;
  },
  render: renderSepa,
};

const GENERIC_COLUMNS = [
  'payout_id',
  'reference',
  'partner_name',
  'method',
  'currency',
  'amount',
  'account_holder',
  'account',
  'bic',
  'tax_name',
  'tax_id',
  'country',
];

/**
 * A CSV file with the payout details of every method, for payments by hand or by your own software. The
 * header contains the field names.
 */
const GENERIC: PayoutFormat = {
  extension: 'csv',
  mediaType: 'text/csv; charset=utf-8',
  maxItems: 5_000,
  currencies: null,
  needsDebtor: false,
  check: ({ details: { email } }) => (email === null || isSafeCell(email) ? null : 'unsupported_text'),
  render: ({ id, currency, items }) =>
    [
      csvRecord(GENERIC_COLUMNS),
      ...items.map(({ payoutId, amountCents, partnerName, details }) =>
        csvRecord([
          payoutId,
          itemReference(id, payoutId),
          partnerName,
          details.method,
          currency,
          formatMajorUnits(amountCents, currency),
          details.account_holder,
          details.iban ?? details.email ?? details.stripe_account_id ?? details.instructions,
          details.bic,
          details.tax_name,
          details.tax_id,
          details.address?.country ?? null,
        ]),
      ),
    ].join(''),
};

export const PAYOUT_FORMATS: PayoutFormats = {
  'file:paypal': PAYPAL,
  'file:wise': WISE,
  'file:sepa': SEPA,
  'file:csv': GENERIC,
};
