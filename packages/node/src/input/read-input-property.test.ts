import {
  trackLeadRequest,
  trackRefundRequest,
  trackSaleRequest,
  trackTestSaleRequest,
  withoutAbsent,
} from '@affkit/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../../core/test/support/any-character.ts';
import { bodyOf, nested, rejectionOf, sale } from '../../test/read-input.ts';
import type { Operation } from '../retry.ts';

const anyText = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: anyCharacter, maxLength: 5 }),
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
      age_ms: fc.oneof(fc.nat(), fc.constantFrom(90 * 86_400_000, 90 * 86_400_000 + 1, -0), anyAmount),
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
      age_ms: fc.oneof(fc.nat(), fc.constantFrom(90 * 86_400_000, 90 * 86_400_000 + 1, -0), anyAmount),
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
      age_ms: fc.oneof(fc.nat(), fc.constantFrom(90 * 86_400_000, 90 * 86_400_000 + 1, -0), anyAmount),
      additional_data: anyAdditionalData,
    },
    { requiredKeys: [] },
  ),
};

/** Valid events. The test replaces one field of an event, so that only this field can cause a rejection. */
const good: Record<Operation, Record<string, unknown>> = {
  sale,
  refund: { transaction_id: 'order-1' },
  lead: { click_id: 'clk_1', customer_key: 'user-1' },
};

function isAcceptedByServer(operation: Operation, input: Record<string, unknown>): boolean {
  const event = withoutAbsent(input);
  const more = event['additional_data'];
  const isTest = typeof more === 'object' && more !== null && 'test_mode' in more && more.test_mode === true;
  // If the program id is invalid, the server ignores the id, so that the event is not lost. The SDK rejects the event.
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
