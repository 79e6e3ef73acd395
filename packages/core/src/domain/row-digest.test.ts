import { expect, test } from 'vitest';
import { RowDigest } from './row-digest.ts';

function digestOf(...rows: (readonly (string | number | null)[])[]): string {
  const digest = new RowDigest();
  for (const row of rows) digest.add(row);
  return digest.hex();
}

test('the digest does not depend on the order of the rows', () => {
  expect(digestOf([1, 'a'], [2, 'b'])).toBe(digestOf([2, 'b'], [1, 'a']));
});

test('the digest depends on each value, its type, and the number of equal rows', () => {
  const digests = [digestOf(), digestOf([1]), digestOf(['1']), digestOf([1], [1]), digestOf([null])];
  expect(new Set(digests).size).toBe(digests.length);
  expect(digestOf()).toBe('0'.repeat(64));
});
