import { expect, it } from 'vitest';
import * as settings from './config.ts';

it('fills in the defaults', () => {
  settings.configure({ baseUrl: 'https://t.example/px/' });
  expect(settings).toMatchObject({
    endpoints: 'https://t.example/px/api/v1/track',
    param: 'aff',
    cookieName: 'service_click_id',
    entryName: 'affkit1:service_click_id',
    cookieDomain: undefined,
    linker: undefined,
    debug: false,
  });
  expect([settings.program, settings.bots]).toEqual([undefined, undefined]);
});

it('accepts relative paths as base URL', () => {
  settings.configure({ baseUrl: '/t', path: '/p', param: undefined });
  expect(settings).toMatchObject({ endpoints: '/t/p', param: 'aff' });
  settings.configure({});
  expect(settings.endpoints).toBe('/api/v1/track');
});

it.each([
  [true, true],
  ['', true],
  ['true', true],
  [undefined, true],
  [false, false],
  ['false', false],
])('isEnabled(%j) returns %s', (setting, expected) => {
  expect(settings.isEnabled(setting)).toBe(expected);
});
