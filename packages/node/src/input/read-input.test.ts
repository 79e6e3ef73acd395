import {
  isCurrency as isProtocolCurrency,
  trackLeadRequest,
  trackRefundRequest,
  trackSaleRequest,
  trackTestSaleRequest,
  withoutAbsent,
} from '@affkit/protocol';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { AffkitValidationError } from '../errors.ts';
import type { Operation } from '../retry.ts';
import { isCurrency } from './currency.ts';
import type { LeadInput, RefundInput, SaleInput } from './events.ts';
import { readInput } from './read-input.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const nowMs = Date.parse(NOW);
const sale = { transaction_id: 'order-1', amount_cents: 1999, customer_key: 'user-1' };

/** So deeply nested that `JSON.stringify` overflows the stack. */
function tooDeep(): unknown {
  let whole: unknown = {};
  for (let level = 0; level < 100_000; level += 1) whole = [whole];
  return { whole };
}

const cyclic: Record<string, unknown> = {};
Object.assign(cyclic, { self: cyclic, again: cyclic });

const read = (operation: Operation, input: unknown) => readInput(operation, input, nowMs);
const bodyOf = (operation: Operation, input: unknown): unknown => JSON.parse(read(operation, input).body);

function rejectionOf(operation: Operation, input: unknown): AffkitValidationError | undefined {
  try {
    read(operation, input);
    return undefined;
  } catch (error) {
    if (error instanceof AffkitValidationError) return error;
    throw error;
  }
}

describe('the types', () => {
  type SaleOnServer = ReturnType<typeof trackSaleRequest.parse>;
  type RefundOnServer = ReturnType<typeof trackRefundRequest.parse>;
  type LeadOnServer = ReturnType<typeof trackLeadRequest.parse>;
  type Present<T> = { [K in keyof T]: Exclude<T[K], null | undefined> };
  type Plain<T> = { [K in keyof T]: T[K] };
  /** Without `additional_data`, because the wire type accepts any object there. */
  type Wire<T> = Plain<Omit<Present<Required<T>>, 'additional_data'>>;

  test('match the request schemas of the protocol', () => {
    expectTypeOf<Wire<SaleInput>>().toEqualTypeOf<Wire<SaleOnServer>>();
    expectTypeOf<Wire<RefundInput>>().toEqualTypeOf<Wire<RefundOnServer>>();
    expectTypeOf<Wire<LeadInput>>().toEqualTypeOf<Wire<LeadOnServer>>();
    expectTypeOf<Pick<SaleInput, 'transaction_id' | 'amount_cents'>>().toEqualTypeOf<
      Pick<SaleOnServer, 'transaction_id' | 'amount_cents'>
    >();
    expectTypeOf<RefundInput['transaction_id']>().toEqualTypeOf<RefundOnServer['transaction_id']>();
  });
});

describe('the request body', () => {
  test('has the time of the call, unless occurred_at is given', () => {
    expect(bodyOf('sale', sale)).toEqual({ ...sale, occurred_at: NOW });
    const dated = { ...sale, occurred_at: '2026-02-28T23:59:59+05:30' };
    expect(bodyOf('sale', dated)).toEqual(dated);
  });

  test('omits null, undefined and empty ids', () => {
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

  test('keeps line_items that are an array', () => {
    expect(JSON.parse(read('sale', { ...sale, line_items: [{ sku: 'tea' }] }).body)).toMatchObject({
      line_items: [{ sku: 'tea' }],
    });
  });

  test('is not affected by later changes to the input object', () => {
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
      'The event must be at most 65536 bytes as JSON',
    ],
  ])('in a %s: %s', (operation, input, message) => {
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
      'Unknown field amount_cents in a refund. Valid fields: transaction_id, refund_amount_cents, refund_id, refund_reason, occurred_at, additional_data',
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

const anyText = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 5 }),
  fc.constantFrom(
    '',
    '\ud800',
    'a\0b',
    'x'.repeat(255),
    'x'.repeat(256),
    'x'.repeat(320),
    'x'.repeat(321),
    'x'.repeat(2001),
  ),
);
const anyValue = fc.oneof(
  anyText,
  fc.constantFrom(null, undefined, true, 0, -1, 1.5, Number.NaN, 2 ** 53, {}, []),
);
/** Nested objects with that many levels. */
function nested(levels: number): Record<string, unknown> {
  return levels <= 1 ? {} : { in: nested(levels - 1) };
}

const anyInstant = fc.oneof(
  anyValue,
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(
    '2024-02-29T00:00:00Z',
    '2100-02-29T00:00:00Z',
    '2000-02-29T00:00:00Z',
    '0000-02-29T00:00:00Z',
    '0099-12-31T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00Z',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00',
    '2026-01-01',
    '2026-01-01T24:00Z',
    '2026-01-01T24:00:00.000Z',
    '2026-01-01T24:00:01Z',
    '2026-01-01T23:59:60Z',
    '2026-01-01T00:00:00+0200',
    '2026-01-01T00:00:00.5-02',
    '2026-01-01T00:00+2',
    '2026-01-01T00:00:00+2360',
    '2026-01-01T00:00:00.123456789+23:59',
    '2026-01-01T00:00:00+24:00',
    '2026-00-10T00:00:00Z',
    '2026-13-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
  ),
);
const anyAdditionalData = fc.oneof(
  { weight: 2, arbitrary: anyValue },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        test_mode: fc.oneof(fc.boolean(), anyValue),
        // The server ignores an invalid program id, but the SDK rejects it.
        program_id: fc.oneof(
          fc.nat().map((id) => id + 1),
          fc.nat().map(String),
          fc.constantFrom(null, ''),
        ),
        event_name: anyValue,
        note: fc.oneof(
          anyValue,
          fc.constant('é'.repeat(4096)),
          fc.constantFrom(nested(98), nested(99), nested(100)),
        ),
      },
      { requiredKeys: [] },
    ),
  },
);
const anyAmount = fc.oneof(fc.integer(), fc.constantFrom(999_999_999_999, 1e12), anyValue);
const idField = fc.oneof({ weight: 3, arbitrary: fc.string({ minLength: 1, maxLength: 8 }) }, anyValue);

const events = {
  sale: fc.record(
    {
      transaction_id: idField,
      amount_cents: anyAmount,
      customer_key: idField,
      click_id: idField,
      currency: fc.oneof(fc.constantFrom('usd', 'JPY', 'XXX', 'us', 'ﬀﬀ', 'uſd', 'ſek'), anyValue),
      sale_type: fc.oneof(fc.constantFrom('payment', 'subscription'), anyValue),
      line_items: fc.oneof(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.array(fc.jsonValue()),
        fc.constantFrom({ a: 'é'.repeat(25_000) }, nested(100), nested(101)),
        anyValue,
      ),
      is_recurring: fc.oneof(fc.boolean(), anyValue),
      subscription_id: idField,
      subscription_interval: fc.oneof(fc.constantFrom('monthly', 'quarterly', 'annual'), anyValue),
      tax_cents: anyAmount,
      shipping_cents: anyAmount,
      product_id: idField,
      occurred_at: anyInstant,
      processor_refs: fc.oneof(fc.array(idField, { maxLength: 12 }), anyValue),
      additional_data: anyAdditionalData,
    },
    { requiredKeys: [] },
  ),
  refund: fc.record(
    {
      transaction_id: idField,
      refund_amount_cents: anyAmount,
      refund_reason: anyValue,
      occurred_at: anyInstant,
      additional_data: anyAdditionalData,
    },
    { requiredKeys: [] },
  ),
  lead: fc.record(
    {
      click_id: idField,
      customer_key: idField,
      email: anyValue,
      session_id: fc.string(),
      page_url: fc.string(),
      occurred_at: anyInstant,
      additional_data: anyAdditionalData,
    },
    { requiredKeys: [] },
  ),
};

/** Valid events. The test changes one field at a time, so that no other invalid field can hide its error. */
const good: Record<Operation, Record<string, unknown>> = {
  sale,
  refund: { transaction_id: 'order-1' },
  lead: { click_id: 'clk_1', customer_key: 'user-1' },
};

function isAcceptedByServer(operation: Operation, input: Record<string, unknown>): boolean {
  const event = withoutAbsent(input);
  const more = event['additional_data'];
  const isTest = typeof more === 'object' && more !== null && 'test_mode' in more && more.test_mode === true;
  // The server ignores an invalid program id, so that a visit is not lost. The SDK rejects it.
  if (
    typeof more === 'object' &&
    more !== null &&
    'program_id' in more &&
    more.program_id != null &&
    more.program_id !== ''
  ) {
    const id = more.program_id;
    const isUsable =
      typeof id === 'string' ? /^\d{1,15}$/.test(id) : Number.isSafeInteger(id) && Number(id) > 0;
    if (!isUsable) return false;
  }
  const isAttributed = event['customer_key'] !== undefined || event['click_id'] !== undefined;
  if (operation === 'refund') return trackRefundRequest.safeParse(event).success;
  if (!isTest && !isAttributed) return false;
  if (operation === 'lead') return trackLeadRequest.safeParse(event).success;
  return (isTest ? trackTestSaleRequest : trackSaleRequest).safeParse(event).success;
}

describe('validation rejects exactly what the server rejects', () => {
  test.each(['sale', 'refund', 'lead'] as const)('%s', (operation) => {
    fc.assert(
      fc.property(events[operation], fc.nat(), fc.boolean(), (odd, pick, isWhole) => {
        const names = Object.keys(odd);
        const name = names[pick % Math.max(1, names.length)];
        const one = name === undefined ? {} : { [name]: odd[name as keyof typeof odd] };
        const input = isWhole ? odd : { ...good[operation], ...one };
        expect(rejectionOf(operation, input)?.message === undefined).toBe(
          isAcceptedByServer(operation, input),
        );
      }),
      { numRuns: 2000 },
    );
  });

  test('the server accepts every body that passes the validation', () => {
    fc.assert(
      fc.property(events.sale, (odd) => {
        const input = { ...odd, ...sale };
        if (rejectionOf('sale', input) !== undefined) return;
        expect(trackSaleRequest.safeParse(bodyOf('sale', input)).success).toBe(true);
      }),
    );
  });
});
