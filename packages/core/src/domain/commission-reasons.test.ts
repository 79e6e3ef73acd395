import { expect, test } from 'vitest';
import { explainAmount, explainMinimum, explainPolicy, explainWindow } from './commission-reasons.ts';

test.each([
  ['USD', '25.90 USD'],
  ['JPY', '2590 JPY'],
  ['KWD', '2.590 KWD'],
])('amounts in %s have all decimals of the currency', (currency, text) => {
  expect(explainAmount({ amountCents: 2590, currency, hasParts: false, isNet: false })).toBe(
    `The commission is ${text}.`,
  );
  expect(explainMinimum(2590, currency)).toContain(`which was ${text}, so`);
  const flat = {
    versionId: 1,
    productId: null,
    partnerId: null,
    type: 'flat',
    rateBps: null,
    amountCents: 2590,
    recurringMonths: null,
  } as const;
  expect(explainPolicy(flat, currency, 0, false)).toContain(`(${text})`);
});

test('says "this partner’s link" only when the sale has a partner', () => {
  expect(explainWindow(3)).toContain('on this partner’s link,');
  expect(explainWindow(3, false)).toContain('on a partner’s link,');
});
