import { expect, test } from 'vitest';
import { parseRowId } from './row-id.ts';

test.each([
  ['1', 1],
  ['42', 42],
  ['999999999999999', 999_999_999_999_999],
])('parses %j', (text, id) => {
  expect(parseRowId(text)).toBe(id);
});

test.each(['', '0', '01', '-1', '+1', '1.0', '1e3', ' 1', '1\n', '１', 'abc', '1000000000000000'])(
  'returns null for %j',
  (text) => {
    expect(parseRowId(text)).toBe(null);
  },
);
