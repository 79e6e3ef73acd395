import { expect, test } from 'vitest';
import { AffkitError, AffkitServerError } from './errors.ts';

test('the name of an error is the name of its class, and can be changed', () => {
  const error = new AffkitServerError('failed', { code: 'http_500' });
  expect([error.name, String(error), AffkitError.prototype.name]).toEqual([
    'AffkitServerError',
    'AffkitServerError: failed',
    'AffkitError',
  ]);
  expect(error.stack).toMatch(/^AffkitServerError: failed\n/);
  error.name = 'Renamed';
  expect([error.name, error.toJSON()['name']]).toEqual(['Renamed', 'Renamed']);
});

test('a subclass of the application can declare its own name', () => {
  class ShopError extends AffkitError {
    override name = 'ShopError';
  }
  expect(String(new ShopError('failed', { code: 'x' }))).toBe('ShopError: failed');
});
