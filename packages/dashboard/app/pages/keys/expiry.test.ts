import { expect, test } from 'vitest';
import { expiresAt } from './expiry.ts';

const NOW = Date.parse('2026-11-03T12:00:00Z');

test('returns the instant at which a key expires', () => {
  expect(expiresAt('30', '', NOW)).toBe('2026-12-03T12:00:00.000Z');
  expect(expiresAt('date', '2026-11-04', NOW)).toBe('2026-11-04T00:00:00.000Z');
  expect(expiresAt('never', '', NOW)).toBeNull();
});

test('accepts only dates in the future', () => {
  expect(expiresAt('date', '2026-11-03', NOW)).toBeUndefined();
  expect(expiresAt('date', '', NOW)).toBeUndefined();
});
