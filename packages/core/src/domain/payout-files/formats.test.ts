import { currencyExponent, PAYOUT_FILE_CHANNELS } from '@affkit/protocol';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/test-depth.ts';
import { createPayPalProvider } from '../../payout-provider/paypal.ts';
import { type PayoutDetails, toPayoutDetails } from '../payout-details.ts';
import { PAYOUT_FORMATS } from './formats.ts';
import { type PayoutFileInput, type PayoutFileItem, readItemReference } from './payout-file.ts';
import { sepaText } from './sepa-text.ts';

const USD = { currency: 'USD' };
const DEBTOR = { name: "Tea & Söhne GmbH; L'Été", iban: 'DE89370400440532013000', bic: null };
const IBANS = ['DE89370400440532013000', 'FR1420041010050500013M02606', 'GB33BUKB20201555555555'];

const text = fc.oneof(
  fc.constantFrom(
    '=HYPERLINK("http://x","y")',
    '+49 30',
    '@SUM(A1)',
    "'=1+1",
    '\t=1',
    'עברית ‮abc',
    'محمد',
    '🦊 Fox 👩‍👩‍👧',
    'a"b',
    'a;=1+1',
    'line\r\nbreak',
    'Łukasz Æøß',
    '-1',
    '',
    ' ',
    '//x//',
  ),
  fc.string({ unit: 'grapheme', maxLength: 90 }),
);
const email = fc.constantFrom('anna@blog.example', '+tag@x.example', '=x@y.example', "o'neil@x.example");
const details: fc.Arbitrary<PayoutDetails> = fc
  .record({
    method: fc.constantFrom('paypal' as const, 'bank' as const, 'wise' as const, 'other' as const),
    currency: fc.constant(undefined),
    email,
    iban: fc.constantFrom(...IBANS),
    bic: fc.constantFrom(undefined, 'COBADEFFXXX', 'AGRIFRPP'),
    usesIban: fc.boolean(),
    account_holder: text,
    instructions: text,
    tax_name: text,
  })
  .map(({ usesIban, ...all }) => {
    const account = { ...all, ...(usesIban ? { email: undefined } : { iban: undefined }) };
    if (all.method !== 'bank') account.bic = undefined;
    if (all.method === 'bank') return toPayoutDetails({ ...all, email: undefined });
    return toPayoutDetails(all.method === 'paypal' ? { ...all, iban: undefined } : account);
  });
const items: fc.Arbitrary<PayoutFileItem[]> = fc.uniqueArray(
  fc.record({
    payoutId: fc.integer({ min: 1, max: 10 ** 9 }),
    amountCents: fc.oneof(
      fc.integer({ min: 1, max: 999_999_999 }),
      fc.integer({ min: 1, max: 9_999_999 }).map((units) => units * 100),
    ),
    partnerName: text,
    details,
  }),
  { maxLength: 8, selector: ({ payoutId }) => payoutId },
);
const batches = fc.record({
  id: fc.integer({ min: 1, max: 10 ** 9 }),
  programName: text,
  currency: fc.constantFrom('USD', 'EUR', 'JPY', 'KWD', 'HUF', 'TWD', 'BRL'),
  items,
});

function fileBatch(
  batch: Pick<PayoutFileInput, 'id' | 'programName' | 'currency' | 'items'>,
): PayoutFileInput {
  const createdAt = Date.UTC(2026, 0, 31, 12);
  return { ...batch, programId: 7, createdAt, downloadedAt: createdAt, debtor: DEBTOR };
}

function toCents(amount: string, currency: string, { isPayPal = false } = {}): number {
  const exponent = currencyExponent(currency);
  const [, whole = '', decimals = ''] = /^(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const isWhole = isPayPal && (currency === 'HUF' || currency === 'TWD');
  expect(decimals).toHaveLength(isWhole ? 0 : exponent);
  return Number(whole + decimals.padEnd(exponent, '0'));
}

function cellsOf(file: string): string[][] {
  return parse(file, { relax_column_count: false }) as string[][];
}

test.each(PAYOUT_FILE_CHANNELS.filter((channel) => channel !== 'file:sepa'))(
  '%s: the file contains every payout with its amount, and no cell is a formula',
  (channel) => {
    const { check, render } = PAYOUT_FORMATS[channel];
    fc.assert(
      fc.property(batches, (random) => {
        const batch = fileBatch({
          ...random,
          items: random.items.filter((item) => check(item, random) === null),
        });
        const file = render(batch);
        expect(render(structuredClone(batch))).toBe(file);
        expect(new TextDecoder('utf-8', { fatal: true }).decode(new TextEncoder().encode(file))).toBe(file);
        const cells = batch.items.length === 0 && channel === 'file:paypal' ? [] : cellsOf(file);
        const rows = channel === 'file:paypal' ? cells : cells.slice(1);
        const [referenceAt, amountAt, currencyAt] =
          channel === 'file:paypal' ? [3, 1, 2] : channel === 'file:wise' ? [2, 5, 7] : [1, 5, 4];
        expect(
          rows.map((row) => [
            readItemReference(batch.id, row[referenceAt] ?? ''),
            toCents(row[amountAt] ?? '', batch.currency, { isPayPal: channel === 'file:paypal' }),
            row[currencyAt],
          ]),
        ).toEqual(batch.items.map((item) => [item.payoutId, item.amountCents, batch.currency]));
        for (const cell of cells.flat()) expect(cell).not.toMatch(/^["]*[=+\-@\t\r]|[;\r\n]["]*[=+\-@\t]/);
      }),
      propertyRuns({ short: 60, long: 3000 }),
    );
  },
);

// https://developer.paypal.com/docs/payouts/standard/payouts-web/: "Unique identifier with 30 character maximum.
// Cannot contain spaces." https://docs.paypal.ai/send/use-web-ui: the note has at most 400 characters.
test('a file for PayPal has the six columns of Payouts Web within their limits', () => {
  const item = { payoutId: 2 ** 31, amountCents: 1990, partnerName: 'Anna' };
  const file = PAYOUT_FORMATS['file:paypal'].render(
    fileBatch({
      id: 2 ** 31,
      programName: 'x'.repeat(500),
      currency: 'USD',
      items: [{ ...item, details: toPayoutDetails({ method: 'paypal', email: 'anna@blog.example' }) }],
    }),
  );
  expect(cellsOf(file)).toEqual([
    ['anna@blog.example', '19.90', 'USD', 'P2147483648-2147483648', 'x'.repeat(400), 'PAYPAL'],
  ]);
  expect('P2147483648-2147483648').toMatch(/^\S{1,30}$/);
  expect(PAYOUT_FORMATS['file:paypal'].maxItems).toBe(5_000);
});

// https://developer.paypal.com/docs/payouts/standard/reference/country-feature/
const PAYPAL_DECIMALS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'AUD CAD CHF CZK DKK EUR GBP HKD ILS MXN NOK NZD PHP PLN SEK SGD THB USD'
      .split(' ')
      .map((currency) => [currency, 2]),
  ),
  ...{ HUF: 0, JPY: 0, TWD: 0 },
};

test('the PayPal file and the PayPal API accept the same currencies and amounts, and only those that PayPal supports', () => {
  const paypal = toPayoutDetails({ method: 'paypal', email: 'anna@blog.example' });
  const api = createPayPalProvider({ clientId: 'x', secret: 'x', apiUrl: 'https://paypal.test' });
  const currencies = [
    ...Object.keys(PAYPAL_DECIMALS),
    'BHD',
    'BRL',
    'CNY',
    'INR',
    'KRW',
    'KWD',
    'MYR',
    'TND',
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...currencies),
      fc.oneof(
        fc.integer({ min: 1, max: 99_999_999 }),
        fc.nat(999_999).map((units) => (units + 1) * 100),
      ),
      (currency, amountCents) => {
        const payout = { amountCents, details: paypal };
        const reason = PAYOUT_FORMATS['file:paypal'].check(
          { ...payout, payoutId: 1, partnerName: 'Anna' },
          { currency },
        );
        expect(reason).toBe(api.check({ ...payout, currency, reference: 'P1-1', programName: 'p' }));
        const decimals = PAYPAL_DECIMALS[currency];
        const step = decimals === undefined ? 1 : 10 ** (currencyExponent(currency) - decimals);
        expect(reason).toBe(
          decimals === undefined ? 'other_currency' : amountCents % step === 0 ? null : 'unsupported_amount',
        );
      },
    ),
    propertyRuns({ short: 200, long: 3000 }),
  );
});

test('a file for PayPal has whole amounts in HUF', () => {
  const item = { payoutId: 2, amountCents: 123_400, partnerName: 'Anna' };
  const paypal = toPayoutDetails({ method: 'paypal', email: 'anna@blog.example' });
  const { check, render } = PAYOUT_FORMATS['file:paypal'];
  const hungarian = { id: 1, programName: 'p', currency: 'HUF', items: [{ ...item, details: paypal }] };
  expect(cellsOf(render(fileBatch(hungarian)))).toEqual([
    ['anna@blog.example', '1234', 'HUF', 'P1-2', 'p', 'PAYPAL'],
  ]);
  expect(check({ ...item, amountCents: 123_456, details: paypal }, { currency: 'HUF' })).toBe(
    'unsupported_amount',
  );
});

test('a payout is rejected, not changed, if a spreadsheet could read its email address as a formula', () => {
  const item = { payoutId: 1, amountCents: 1, partnerName: 'Anna' };
  for (const address of ['=x@y.example', '+x@y.example', '-x@y.example', '@x.example']) {
    const paypal = toPayoutDetails({ method: 'paypal', email: address });
    expect(PAYOUT_FORMATS['file:paypal'].check({ ...item, details: paypal }, USD)).toBe('unsupported_text');
    expect(PAYOUT_FORMATS['file:csv'].check({ ...item, details: paypal }, USD)).toBe('unsupported_text');
  }
});

const WISE_TEMPLATE = [
  'name',
  'recipientEmail',
  'paymentReference',
  'receiverType',
  'amountCurrency',
  'amount',
  'sourceCurrency',
  'targetCurrency',
];

test('a file for Wise has the columns of the template for bank accounts', () => {
  const bank = { method: 'wise' as const, account_holder: 'Anna', iban: 'DE89370400440532013000' };
  const itemOf = (payoutId: number, sent: Parameters<typeof toPayoutDetails>[0]) => {
    return { payoutId, amountCents: 1990, partnerName: 'Anna', details: toPayoutDetails(sent) };
  };
  const company = { ...bank, account_holder: 'Anna Ltd', account_holder_type: 'company' as const };
  const render = (items: PayoutFileItem[]) =>
    cellsOf(
      PAYOUT_FORMATS['file:wise'].render(fileBatch({ id: 1, programName: 'p', currency: 'EUR', items })),
    );
  const amount = ['target', '19.90', 'EUR', 'EUR'];
  const banks = [itemOf(1, bank), itemOf(2, company)];
  const rows = [
    ['Anna', '', 'P1-1', 'PERSON', ...amount, bank.iban],
    ['Anna Ltd', '', 'P1-2', 'INSTITUTION', ...amount, bank.iban],
  ];
  expect(render(banks)).toEqual([[...WISE_TEMPLATE, 'IBAN'], ...rows]);
  const byEmail = itemOf(3, { method: 'wise', account_holder: 'Ben', email: 'ben@b.example' });
  expect(render([...banks, byEmail])).toEqual([
    [...WISE_TEMPLATE, 'IBAN', 'type'],
    ...rows.map((row) => [...row, 'IBAN']),
    ['Ben', 'ben@b.example', 'P1-3', 'PERSON', ...amount, '', 'EMAIL'],
  ]);
});

test('a name in the file for Wise keeps its letters, but no characters that could make it a formula', () => {
  const account = toPayoutDetails({
    method: 'wise',
    email: 'a@b.example',
    account_holder: '=Anna; "A"\u202e',
  });
  const item = { payoutId: 3, amountCents: 1500, partnerName: 'Anna', details: account };
  expect(PAYOUT_FORMATS['file:wise'].check(item, { currency: 'JPY' })).toBeNull();
  const file = PAYOUT_FORMATS['file:wise'].render(
    fileBatch({ id: 1, programName: 'p', currency: 'JPY', items: [item] }),
  );
  expect(cellsOf(file)).toEqual([
    [...WISE_TEMPLATE, 'type'],
    ['Anna, "A"', 'a@b.example', 'P1-3', 'PERSON', 'target', '1500', 'JPY', 'JPY', 'EMAIL'],
  ]);
  const nameless = { ...item, details: { ...account, account_holder: '==' } };
  expect(PAYOUT_FORMATS['file:wise'].check(nameless, { currency: 'JPY' })).toBe('unsupported_text');
});

/**
 * Elements without their contents, in the order that the schema of pain.001.001.09 requires. SEPA allows no
 * other elements here.
 */
const tags = (...names: string[]) => names.map((name) => `<${name}></${name}>`).join('');
const inside = (name: string, content: string) => `<${name}>${content}</${name}>`;
const agent = (name: string) =>
  inside(name, inside('FinInstnId', `(?:${tags('BICFI')}|${inside('Othr', tags('Id'))})`));
const accountOf = (name: string) => inside(name, inside('Id', tags('IBAN')));
const SEPA_STRUCTURE = new RegExp(
  `^<\\?xml[^>]*>${inside(
    'Document',
    inside(
      'CstmrCdtTrfInitn',
      inside('GrpHdr', tags('MsgId', 'CreDtTm', 'NbOfTxs', 'CtrlSum') + inside('InitgPty', tags('Nm'))) +
        inside(
          'PmtInf',
          tags('PmtInfId', 'PmtMtd', 'NbOfTxs', 'CtrlSum') +
            inside('PmtTpInf', inside('SvcLvl', tags('Cd'))) +
            inside('ReqdExctnDt', tags('Dt')) +
            inside('Dbtr', tags('Nm')) +
            accountOf('DbtrAcct') +
            agent('DbtrAgt') +
            tags('ChrgBr') +
            `(?:${inside(
              'CdtTrfTxInf',
              inside('PmtId', tags('EndToEndId')) +
                inside('Amt', tags('InstdAmt')) +
                `(?:${agent('CdtrAgt')})?` +
                inside('Cdtr', tags('Nm')) +
                accountOf('CdtrAcct') +
                inside('RmtInf', tags('Ustrd')),
            )})*`,
        ),
    ),
  )}$`,
);

/**
 * Moves the first four characters to the end, replaces letters by numbers, and divides by 97. ISO 13616
 * requires a remainder of 1.
 */
function ibanRemainder(iban: string): bigint {
  const digits = (iban.slice(4) + iban.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  return BigInt(digits) % 97n;
}

const allOf = (xml: string, tag: string) =>
  [...xml.matchAll(new RegExp(`<${tag}(?: [^>]*)?>([^<]*)</${tag}>`, 'g'))].map(([, value = '']) => value);

// EPC132-08, SEPA credit transfer customer-to-bank guidelines: names of at most 70 characters, ids of at most 35,
// remittance of at most 140, amounts from 0.01 to 999999999.99, and the characters of EPC217-08.
test('a SEPA file stays within the limits of the European Payments Council, and its sums match', () => {
  const { check, render } = PAYOUT_FORMATS['file:sepa'];
  fc.assert(
    fc.property(batches, (random) => {
      const batch = fileBatch({
        ...random,
        currency: 'EUR',
        items: random.items.filter((item) => check(item, { currency: 'EUR' }) === null),
      });
      const xml = render(batch);
      expect(render(structuredClone(batch))).toBe(xml);
      expect(xml.replaceAll('&apos;', "'")).not.toContain('&');
      const sum = batch.items.reduce((total, { amountCents }) => total + amountCents, 0);
      expect(allOf(xml, 'CtrlSum').map((amount) => toCents(amount, 'EUR'))).toEqual([sum, sum]);
      expect(allOf(xml, 'NbOfTxs')).toEqual([String(batch.items.length), String(batch.items.length)]);
      expect(allOf(xml, 'InstdAmt').map((amount) => toCents(amount, 'EUR'))).toEqual(
        batch.items.map(({ amountCents }) => amountCents),
      );
      expect(allOf(xml, 'EndToEndId').map((id) => readItemReference(batch.id, id))).toEqual(
        batch.items.map(({ payoutId }) => payoutId),
      );
      expect(
        xml
          .replaceAll('\n', '')
          .replaceAll(/>[^<]+</g, '><')
          .replaceAll(/ (?:xmlns|Ccy)="[^"]*"/g, ''),
      ).toMatch(SEPA_STRUCTURE);
      for (const iban of allOf(xml, 'IBAN')) expect([iban, ibanRemainder(iban)]).toEqual([iban, 1n]);
      for (const bic of allOf(xml, 'BICFI'))
        expect(bic).toMatch(/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/);
      const limits = { Nm: 70, EndToEndId: 35, MsgId: 35, PmtInfId: 35, Ustrd: 140 };
      for (const [tag, max] of Object.entries(limits)) {
        for (const value of allOf(xml, tag)) {
          const plain = value.replaceAll('&apos;', "'");
          expect(plain.length).toBeGreaterThan(0);
          expect(plain.length).toBeLessThanOrEqual(max);
          expect(plain).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]+$/);
          expect(plain).not.toMatch(/^\/|\/\/|\/$/);
        }
      }
    }),
    propertyRuns({ short: 80, long: 3000 }),
  );
});

test('a SEPA file has the structure of pain.001.001.09', () => {
  const account = {
    method: 'bank' as const,
    iban: 'FR1420041010050500013M02606',
    account_holder: "Zoë O'Łukasz",
  };
  const item = { payoutId: 5, amountCents: 1050, partnerName: 'Zoe', details: toPayoutDetails(account) };
  const xml = PAYOUT_FORMATS['file:sepa'].render(
    fileBatch({ id: 3, programName: 'Tea & Co', currency: 'EUR', items: [item] }),
  );
  expect(xml.split('\n')).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>',
    '<GrpHdr><MsgId>AFFKIT-7-3</MsgId><CreDtTm>2026-01-31T12:00:00</CreDtTm><NbOfTxs>1</NbOfTxs><CtrlSum>10.50</CtrlSum><InitgPty><Nm>Tea + Sohne GmbH, L&apos;Ete</Nm></InitgPty></GrpHdr>',
    '<PmtInf><PmtInfId>AFFKIT-7-3</PmtInfId><PmtMtd>TRF</PmtMtd><NbOfTxs>1</NbOfTxs><CtrlSum>10.50</CtrlSum><PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf>',
    // The file was downloaded on Saturday, 31 January. The next banking day is Monday, 2 February.
    '<ReqdExctnDt><Dt>2026-02-02</Dt></ReqdExctnDt>',
    '<Dbtr><Nm>Tea + Sohne GmbH, L&apos;Ete</Nm></Dbtr><DbtrAcct><Id><IBAN>DE89370400440532013000</IBAN></Id></DbtrAcct><DbtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></DbtrAgt><ChrgBr>SLEV</ChrgBr>',
    '<CdtTrfTxInf><PmtId><EndToEndId>P3-5</EndToEndId></PmtId><Amt><InstdAmt Ccy="EUR">10.50</InstdAmt></Amt><Cdtr><Nm>Zoe O&apos;Lukasz</Nm></Cdtr><CdtrAcct><Id><IBAN>FR1420041010050500013M02606</IBAN></Id></CdtrAcct><RmtInf><Ustrd>P3-5 Tea + Co</Ustrd></RmtInf></CdtTrfTxInf>',
    '</PmtInf></CstmrCdtTrfInitn></Document>',
    '',
  ]);
});

test('sepaText transliterates Latin letters, and returns null for other scripts, emoji, or an empty result', () => {
  expect(sepaText('Æsir Straße – “Nº 5”', 70)).toBe("AEsir Strasse - 'No 5'");
  expect(sepaText('/a//b/', 70)).toBe('a/b');
  for (const name of ['محمد', '🦊', 'Иван', '', '  ', '/']) expect(sepaText(name, 70)).toBeNull();
});
