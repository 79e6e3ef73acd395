import { expect, it } from 'vitest';
import { configure } from './config.ts';

it('fills in the defaults', () => {
  expect(configure({ baseUrl: 'https://t.example/px/' }, 'https://shop.example/')).toEqual({
    baseUrl: 'https://t.example/px',
    param: 'aff',
    cookieName: 'service_click_id',
    cookieDomain: '',
    auto: true,
    debug: false,
  });
});

it('reads attributes as well as values', () => {
  const attributes = { baseUrl: '', param: 'ref', auto: 'false', debug: '' };
  expect(configure(attributes, 'https://shop.example/')).toMatchObject({
    baseUrl: '',
    param: 'ref',
    auto: false,
    debug: true,
  });
  expect(configure({ baseUrl: '', auto: true, debug: 'false' }, '')).toMatchObject({
    auto: true,
    debug: false,
  });
});

it('debugs when the page is asked to', () => {
  expect(configure({ baseUrl: '' }, 'https://shop.example/?a=1&affkit_debug').debug).toBe(true);
  expect(configure({ baseUrl: '' }, 'https://shop.example/affkit_debug').debug).toBe(false);
});
