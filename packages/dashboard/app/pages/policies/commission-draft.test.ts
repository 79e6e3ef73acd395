import { expect, test } from 'vitest';
import { checkCommission, commissionBody, rateBpsOf } from './commission-draft.ts';

test.each([
  ['20', 2000],
  ['12.5', 1250],
  ['0,25', 25],
  ['100', 10_000],
  ['100.01', null],
  ['12.345', null],
  ['1e1', null],
  ['', null],
  ['-1', null],
])('the percentage %j is %j hundredths of a percent', (text, expected) => {
  expect(rateBpsOf(text)).toBe(expected);
});

test('only the field of the chosen type is checked and sent', () => {
  const percent = { type: 'percent', rate: '12,5', amount: 'x' } as const;
  expect(checkCommission(percent, 'USD')).toEqual({});
  expect(commissionBody(percent, 'USD')).toEqual({ type: 'percent', rate: 12.5 });
  const flat = { type: 'flat', rate: 'x', amount: '1500' } as const;
  expect(checkCommission(flat, 'JPY')).toEqual({});
  expect(commissionBody(flat, 'JPY')).toEqual({ type: 'flat', amount_cents: 1500 });
  expect(Object.keys(checkCommission({ ...flat, amount: 'x' }, 'JPY'))).toEqual(['amount']);
  expect(Object.keys(checkCommission({ ...percent, rate: '101' }, 'USD'))).toEqual(['rate']);
});
