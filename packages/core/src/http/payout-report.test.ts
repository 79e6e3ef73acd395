import { expect, test } from 'vitest';
import { readPayoutReport } from './payout-report.ts';

const BATCH = { id: 7, currency: 'USD' };
const TABLE = [
  ['payout_id', 'status', 'reference', 'amount'],
  ['1', 'paid', 'A 1', '20,00'],
  ['2', 'paid', 'B 2', '40,0'],
  ['3', 'paid', '', '1.234,50'],
  ['4', 'failed', '', '-1\u202f234.5'],
];
const FOUND = [
  { payoutId: 1, status: 'paid', reference: 'A 1', amountCents: 2000 },
  { payoutId: 2, status: 'paid', reference: 'B 2', amountCents: 4000 },
  { payoutId: 3, status: 'paid', reference: null, amountCents: 123_450 },
  { payoutId: 4, status: 'failed', reference: null, amountCents: 123_450 },
];

function read(text: string, currency = BATCH.currency) {
  const rows = readPayoutReport(new TextEncoder().encode(text), 'csv', { ...BATCH, currency });
  return Array.isArray(rows) ? rows.map(({ result }) => result) : rows;
}

test.each([
  ['semicolons and a byte order mark, as Excel writes them in Europe', '\ufeff', ';', '\r\n'],
  ['tabs, as in cells that were copied from a spreadsheet', '', '\t', '\n'],
])('reads a report with %s', (_, start, separator, end) => {
  expect(read(start + TABLE.map((row) => row.join(separator) + end).join(''))).toMatchObject(FOUND);
});

test.each([
  [',', 'USD', '"1,234"', 123_400],
  [';', 'USD', '1.234', 123_400],
  [';', 'USD', '12.50', 1250],
  [';', 'JPY', '1.234', 1234],
  [';', 'KWD', '1,234', 1234],
  [',', 'KWD', '1.234', 1234],
  [',', 'USD', '20.000', 2000],
])('with the separator "%s", reads the amount in %s: %s', (separator, currency, amount, amountCents) => {
  const lines = [
    ['payout_id', 'status', 'amount'],
    ['1', 'paid', amount],
  ];
  const report = lines.map((line) => line.join(separator)).join('\n');
  expect(read(report, currency)).toMatchObject([{ amountCents }]);
});

test('rejects all rows of a payout if they contradict each other, because one could release a paid payout', () => {
  const report = 'payout_id,status\n1,failed\n2,paid\n1,paid\n2,paid\n3,paid\n3,sent\n4,sent\n4,paid\n';
  expect(read(report)).toMatchObject([
    { message: 'This payout is also on line 4. Remove one of the two rows.' },
    { payoutId: 2, status: 'paid' },
    { message: 'This payout is also on line 2. Remove one of the two rows.' },
    { message: 'This payout is also on line 3. Remove one of the two rows.' },
    { payoutId: 3, status: 'paid' },
    { message: 'This payout is also on line 6. Remove one of the two rows.' },
    { payoutId: 4, status: 'sent' },
    { message: 'This payout is also on line 8. Remove one of the two rows.' },
  ]);
});

test('rejects an amount that is not valid in the currency of its row', () => {
  expect(read('payout_id,status,amount,currency\n1,paid,12.345,eur')).toMatchObject([
    { message: 'The amount "12.345" is not a valid amount in EUR' },
  ]);
});

test('rejects a file that cannot be read, with a message that says how to correct it', () => {
  expect(read('payout_id|status\n1|paid\n')).toMatchObject({
    message:
      'The first line must contain the column "payout_id". Separate columns by commas, semicolons, or tabs.',
  });
  const advice = 'The body must be a CSV file in UTF-8. In Excel, save it as "CSV UTF-8".';
  expect(read('payout_id,status,reason\n1,failed,Fran\ufffdais')).toMatchObject({ message: advice });
  const latin1 = Buffer.from('payout_id,status,reason\n1,failed,Français', 'latin1');
  expect(readPayoutReport(latin1, 'csv', BATCH)).toMatchObject({ message: advice });
});
