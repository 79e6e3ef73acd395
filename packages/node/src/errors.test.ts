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
