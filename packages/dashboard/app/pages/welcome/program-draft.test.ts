import { createProgramRequest } from '@affkit/protocol';
import { describe, expect, test } from 'vitest';
import {
  checkProgram,
  checkTerms,
  DEFAULT_TERMS,
  exampleCents,
  programBody,
  siteUrlOf,
  termsOf,
} from './program-draft.ts';

const PROGRAM = { name: ' Tea Shop ', site: 'shop.example', currency: 'USD', workspaceId: '' };

test.each([
  ['shop.example', 'https://shop.example/'],
  [' http://shop.example/tea ', 'http://shop.example/tea'],
  ['http://localhost:8788', 'http://localhost:8788/'],
  ['localhost:3000', 'http://localhost:3000/'],
  ['192.168.1.20', 'http://192.168.1.20/'],
  ['shop', null],
  ['', null],
  ['https://', null],
])('the site %j has the URL %j', (text, expected) => {
  expect(siteUrlOf(text)).toBe(expected);
});

describe('the body of the request', () => {
  test.each([
    ['percent', 'USD', { type: 'percent', rate: 20 }],
    ['flat', 'USD', { type: 'flat', amount_cents: 1000 }],
    ['flat', 'JPY', { type: 'flat', amount_cents: 10 }],
    ['flat', 'KWD', { type: 'flat', amount_cents: 10_000 }],
  ] as const)('with a %s commission in %s is valid for the API', (type, currency, commission) => {
    const body = programBody({ ...PROGRAM, currency }, { ...DEFAULT_TERMS, type });
    expect(createProgramRequest.parse(body)).toMatchObject({
      name: 'Tea Shop',
      site_url: 'https://shop.example/',
      currency,
      cookie_window_days: 30,
      hold_days: 30,
      commission,
    });
  });
});

test('the checks return an error for each invalid field', () => {
  expect(Object.keys(checkProgram({ name: ' ', site: 'x', currency: 'us', workspaceId: '' }))).toEqual([
    'name',
    'site',
    'currency',
  ]);
  const terms = { ...DEFAULT_TERMS, rate: '101', windowDays: '0', holdDays: '366' };
  expect(Object.keys(checkTerms(terms, 'USD'))).toEqual(['rate', 'windowDays', 'holdDays']);
  expect(Object.keys(checkTerms({ ...DEFAULT_TERMS, type: 'flat', amount: '1.5' }, 'JPY'))).toEqual([
    'amount',
  ]);
  expect(checkTerms(DEFAULT_TERMS, 'USD')).toEqual({});
});

test('the commission in the example is rounded half up', () => {
  expect(exampleCents({ ...DEFAULT_TERMS, rate: '12.5' }, 10_001, 'USD')).toBe(1250);
  // The server rounds half up too.
  expect(exampleCents({ ...DEFAULT_TERMS, rate: '12.5' }, 100, 'JPY')).toBe(13);
  expect(exampleCents({ ...DEFAULT_TERMS, type: 'flat', amount: '3' }, 10_000, 'USD')).toBe(300);
  expect(exampleCents({ ...DEFAULT_TERMS, rate: 'x' }, 10_000, 'USD')).toBeNull();
});

test('the terms are read from the URL', () => {
  expect(termsOf({})).toEqual(DEFAULT_TERMS);
  const flat = { ...DEFAULT_TERMS, type: 'flat', amount: '3', holdDays: '' };
  expect(termsOf(flat)).toEqual(flat);
  expect(termsOf({ ...flat, type: 'x' }).type).toBe('percent');
  // The terms are written back to the URL, so they must not contain its other parameters.
  expect(termsOf({ ...flat, step: 'program', name: 'Tea Shop', currency: 'EUR' })).toEqual(flat);
});
