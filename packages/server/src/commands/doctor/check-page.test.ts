import { expect, test } from 'vitest';
import { checkCookieDomain } from './check-page.ts';

test.each([
  ['ok', 'https://www.shop.example/', 'https://aff.shop.example', 'shop.example'],
  ['ok', 'https://shop.example/', 'https://aff.other.example', null],
  ['warning', 'https://shop.example/', 'https://aff.other.example', 'shop.example'],
  ['problem', 'https://shop.example/', 'https://aff.www.shop.example', 'www.shop.example'],
  ['problem', 'https://myshop.example/', 'https://aff.shop.example', 'shop.example'],
])(
  'reports %s for the page %s, the server %s and the cookie domain %s',
  (level, page, server, cookieDomain) => {
    expect(checkCookieDomain({ id: 7, cookieDomain }, new URL(page), new URL(server))).toMatchObject({
      check: 'page.cookie_domain',
      level,
    });
  },
);
