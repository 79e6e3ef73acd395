import {
  isCurrency as isProtocolCurrency,
  type trackLeadRequest,
  type trackRefundRequest,
  type trackSaleRequest,
} from '@affkit/protocol';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { bodyOf, cyclic, NOW, nested, read, rejectionOf, sale, tooDeep } from '../../test/read-input.ts';
import type { Operation } from '../retry.ts';
import { isCurrency } from './currency.ts';
import type { LeadInput, RefundInput, SaleInput } from './events.ts';
import { readInput } from './read-input.ts';

describe('types', () => {
  type SaleOnServer = ReturnType<typeof trackSaleRequest.parse>;
  type RefundOnServer = ReturnType<typeof trackRefundRequest.parse>;
  type LeadOnServer = ReturnType<typeof trackLeadRequest.parse>;
  type Present<T> = { [K in keyof T]: Exclude<T[K], null | undefined> };
  type Plain<T> = { [K in keyof T]: T[K] };
  /** Leaves out `additional_data`, for which the request schema accepts any object. */
  type Wire<T> = Plain<Omit<Present<Required<T>>, 'additional_data'>>;

  test('the input types of the SDK match the request schemas of the protocol', () => {
    expectTypeOf<Wire<SaleInput>>().toEqualTypeOf<Wire<SaleOnServer>>();
    expectTypeOf<Wire<RefundInput>>().toEqualTypeOf<Wire<RefundOnServer>>();
    expectTypeOf<Wire<LeadInput>>().toEqualTypeOf<Wire<LeadOnServer>>();
    expectTypeOf<Pick<SaleInput, 'transaction_id' | 'amount_cents'>>().toEqualTypeOf<
      Pick<SaleOnServer, 'transaction_id' | 'amount_cents'>
    >();
    expectTypeOf<RefundInput['transaction_id']>().toEqualTypeOf<RefundOnServer['transaction_id']>();
  });
});

describe('request body', () => {
  test('the body has no occurred_at if the event is not queued and the caller passes none', () => {
    expect(JSON.parse(readInput('sale', sale).body)).toEqual(sale);
  });

  test.each([
    ['wrong by a day, so age_ms is used', '2026-02-28T12:00:00Z', '2026-03-01T11:00:00.000Z'],
    ['ahead by a day, so age_ms is used', '2026-03-02T12:00:00Z', '2026-03-01T11:00:00.000Z'],
    ['4 minutes off', '2026-03-01T11:04:00Z', '2026-03-01T11:04:00Z'],
    ['4 minutes off, with a zone', '2026-03-01T12:04:00+01', '2026-03-01T12:04:00+01'],
    ['an hour off by its zone, so age_ms is used', '2026-03-01T11:00:00+01', '2026-03-01T11:00:00.000Z'],
  ])('occurred_at of a queued event with an age of an hour: %s', (_what, occurred_at, expected) => {
    const input = { ...sale, occurred_at, age_ms: 3_600_000 };
    expect(bodyOf('sale', input)).toEqual({ ...sale, occurred_at: expected });
  });

  test('occurred_at of a queued event defaults to the time of the call minus age_ms', () => {
    expect(bodyOf('sale', sale)).toEqual({ ...sale, occurred_at: NOW });
    expect(bodyOf('sale', { ...sale, age_ms: 1000 })).toEqual({
      ...sale,
      occurred_at: '2026-03-01T11:59:59.000Z',
    });
    const dated = { ...sale, occurred_at: '2026-02-28T23:59:59+05:30' };
    expect(bodyOf('sale', dated)).toEqual(dated);
  });

  test('the body omits fields that are null or undefined, and ids that are empty', () => {
    const input = {
      ...sale,
      click_id: '',
      product_id: null,
      currency: undefined,
      additional_data: { program_id: null, note: 'kept', empty: '' },
    };
    expect(bodyOf('sale', input)).toEqual({
      ...sale,
      additional_data: { note: 'kept', empty: '' },
      occurred_at: NOW,
    });
  });

  test('the body keeps line_items if it is an array', () => {
    expect(JSON.parse(read('sale', { ...sale, line_items: [{ sku: 'tea' }] }).body)).toMatchObject({
      line_items: [{ sku: 'tea' }],
    });
  });

  test('later changes to the input object do not affect the body', () => {
    const input = { ...sale, line_items: { count: 1 } };
    const { body } = read('sale', input);
    input.line_items.count = 2;
    expect(JSON.parse(body)).toMatchObject({ line_items: { count: 1 } });
  });
});

describe('validation', () => {
  test.each<[Operation, unknown, string]>([
    ['sale', undefined, 'sale requires an object with the fields of the event'],
    ['sale', [], 'sale requires an object with the fields of the event'],
    ['sale', { ...sale, transaction_id: '' }, 'transaction_id is required'],
    ['sale', { ...sale, transaction_id: 5 }, 'transaction_id must be a string, got number'],
    [
      'sale',
      { ...sale, transaction_id: 'x'.repeat(256) },
      'transaction_id must be at most 255 characters, got 256',
    ],
    ['sale', { ...sale, customer_key: 'a\0' }, 'customer_key must not contain NUL or lone surrogates'],
    ['sale', { transaction_id: 'a', customer_key: 'k' }, 'amount_cents is required'],
    [
      'sale',
      { ...sale, amount_cents: 19.99 },
      'amount_cents must be a positive integer in the smallest unit of the currency, got 19.99',
    ],
    [
      'sale',
      { ...sale, amount_cents: '1999' },
      'amount_cents must be a positive integer in the smallest unit of the currency, got "1999"',
    ],
    [
      'sale',
      { ...sale, amount_cents: 0 },
      'amount_cents must be a positive integer in the smallest unit of the currency, got 0',
    ],
    ['sale', { ...sale, amount_cents: 1e12 }, 'amount_cents must be at most 999999999999, got 1000000000000'],
    ['sale', { ...sale, currency: 'EURO' }, 'currency must be an ISO 4217 code such as USD, got "EURO"'],
    [
      'sale',
      { ...sale, occurred_at: '2026-02-30T00:00:00Z' },
      'occurred_at must be an ISO 8601 date and time with a time zone such as 2026-01-31T12:00:00Z, got "2026-02-30T00:00:00Z"',
    ],
    [
      'sale',
      { ...sale, additional_data: { test_mode: 'yes' } },
      'additional_data.test_mode must be a boolean, got "yes"',
    ],
    [
      'sale',
      { transaction_id: 'a', amount_cents: 1 },
      'customer_key or click_id is required to identify the customer',
    ],
    [
      'sale',
      { ...sale, line_items: cyclic },
      'line_items cannot be serialized to JSON: Converting circular structure to JSON',
    ],
    [
      'sale',
      { ...sale, line_items: tooDeep() },
      'line_items cannot be serialized to JSON: Maximum call stack size exceeded',
    ],
    ['sale', { ...sale, line_items: new Date(0) }, 'line_items must be a plain object or an array'],
    ['sale', { ...sale, line_items: 'tea' }, 'line_items must be a plain object or an array'],
    ['sale', { ...sale, line_items: nested(102) }, 'line_items must be nested at most 100 levels deep'],
    [
      'sale',
      { ...sale, additional_data: { program_id: 'p' } },
      'additional_data.program_id must be a program id such as 7, got "p"',
    ],
    ['refund', {}, 'transaction_id is required'],
    [
      'refund',
      { transaction_id: 'a', refund_amount_cents: Number.NaN },
      'refund_amount_cents must be a positive integer in the smallest unit of the currency, or 0 for a full refund, got NaN',
    ],
    [
      'refund',
      { transaction_id: 'a', refund_amount_cents: -1 },
      'refund_amount_cents must be a positive integer in the smallest unit of the currency, or 0 for a full refund, got -1',
    ],
    ['lead', { email: 'ann@example.com' }, 'customer_key or click_id is required to identify the customer'],
    [
      'lead',
      { click_id: 'c', page_url: 'x'.repeat(70_000) },
      // 64 KiB, less 20 bytes for the age of a queued event.
      'The event must be at most 65516 bytes as JSON',
    ],
  ])('rejects a %s with the input %s', (operation, input, message) => {
    const error = rejectionOf(operation, input);
    expect([error?.message, error?.code, error?.attempts, error?.retryable]).toEqual([
      message,
      'invalid_field',
      0,
      false,
    ]);
  });

  test('rejects an unknown field', () => {
    const error = rejectionOf('refund', { transaction_id: 'a', amount_cents: 5 });
    expect(error?.code).toBe('unknown_field');
    expect(error?.message).toBe(
      'Unknown field amount_cents in a refund. Valid fields: transaction_id, refund_amount_cents, refund_id, refund_reason, occurred_at, age_ms, additional_data',
    );
    expect(rejectionOf('sale', { ...sale, constructor: 1 })?.code).toBe('unknown_field');
  });
});

test('a test event requires only test_mode', () => {
  const additional_data = { test_mode: true };
  expect(bodyOf('sale', { additional_data })).toEqual({ additional_data, occurred_at: NOW });
  expect(bodyOf('lead', { additional_data })).toEqual({ additional_data, occurred_at: NOW });
});

test('accepts the same currencies as the protocol', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
  expect(codes.filter(isCurrency)).toEqual(codes.filter(isProtocolCurrency));
  expect([isCurrency('usd'), isCurrency('USD EUR'), isCurrency(' US')]).toEqual([true, false, false]);
});
