import { expect, test } from 'vitest';
import type { BreakdownReply } from '../../api/types.ts';
import { breakdownBarsOf, countFor, refreshMs } from './breakdown.ts';

type Row = BreakdownReply['data'][number];
type Dimension = BreakdownReply['meta']['by'];

function reply(by: Dimension, ...rows: readonly Partial<Row>[]): BreakdownReply {
  const none = { value: null, is_other: false, clicks: 1, leads: 0, sales: 0, revenue: [] };
  return {
    success: true,
    data: rows.map((row) => ({ ...none, ...row })),
    meta: { by, dateFrom: '', dateTo: '', as_of: null },
  };
}

const options = { count: 'clicks', siteUrl: 'https://shop.example/' } as const;

test.each([
  ['country', 'DE', 'Germany'],
  ['country', 'QQ', 'QQ'],
  ['country', '<b>', '<b>'],
  ['country', null, 'Unknown country'],
  ['referrer_host', 't.co', 't.co'],
  ['referrer_host', null, 'Direct or unknown'],
  ['device', 'smarttv', 'Smart TV'],
  ['device', 'fridge', 'fridge'],
  ['page', 'https://shop.example/tea', '/tea'],
  ['page', 'https://other.example/tea', 'other.example/tea'],
  ['page', 'javascript:alert(1)', 'javascript:alert(1)'],
] as const)('in the breakdown by %s, the value %s has the label %s', (by, value, text) => {
  expect(breakdownBarsOf(reply(by, { value }), options)).toMatchObject([{ text }]);
});

test('values with a count of 0 are left out, and the row with is_other becomes the bar "All others"', () => {
  const rows = [{ value: 'DE', clicks: 3 }, { value: 'FR', clicks: 0 }, { is_other: true }];
  expect(breakdownBarsOf(reply('country', ...rows), options)).toEqual([
    { id: 'value-DE', text: 'Germany', value: 3, isRest: false },
    { id: 'rest', text: 'All others', value: 1, isRest: true },
  ]);
});

test('for amounts and customers, a breakdown counts sales', () => {
  expect((['clicks', 'leads', 'conversions', 'revenue'] as const).map(countFor)).toEqual([
    'clicks',
    'leads',
    'sales',
    'sales',
  ]);
});

test('a breakdown is read again, after longer and longer pauses, until every event is counted', () => {
  const receivedAt = Date.parse('2026-11-23T12:00:00Z');
  const pauses = (asOf: string | null) => {
    const { meta, ...rest } = reply('country');
    const behind = { ...rest, meta: { ...meta, as_of: asOf } };
    return [1, 2, 3, 9].map((count) => refreshMs({ reply: behind, receivedAt, count }));
  };
  expect(pauses(null)).toEqual([2_000, 4_000, 8_000, 60_000]);
  expect(pauses('2026-11-23T11:59:50Z')).toEqual([2_000, 4_000, 8_000, 60_000]);
  expect(pauses('2026-11-23T11:59:59.900Z')).toEqual([false, false, false, false]);
});
