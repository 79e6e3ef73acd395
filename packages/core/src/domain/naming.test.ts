import { expect, test } from 'vitest';
import { isPublicSuffix } from './cookie-domain.ts';
import { shortLinkUrl, suggestShortLink } from './short-link.ts';
import { toSlug } from './slug.ts';

test.each([
  ['Acme Shop', 'acme-shop'],
  ['  Café & Söhne!  ', 'cafe-sohne'],
  ['--a--', 'a'],
  ['日本', 'fallback'],
  ['!!!', 'fallback'],
  ['a'.repeat(80), 'a'.repeat(64)],
  [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
])('toSlug turns %j into %j', (name, slug) => {
  expect(toSlug(name, 'fallback')).toBe(slug);
});

test('suggestShortLink contains the name and is a valid link code', () => {
  const random = (count: number) => new Uint8Array(count).fill(11);
  expect(suggestShortLink('Zoë Q.', random)).toBe('zoe-q-bbbbbbbb');
  expect(suggestShortLink('日本', random)).toBe('partner-bbbbbbbb');
  expect(suggestShortLink('x'.repeat(200), random)).toMatch(/^[A-Za-z0-9_-]{2,64}$/);
});

test('shortLinkUrl keeps the query and the fragment of the site URL', () => {
  expect(shortLinkUrl('https://shop.example/a?ref=1&aff=old#top', 'pat')).toBe(
    'https://shop.example/a?ref=1&aff=pat#top',
  );
});

test.each([
  ['com', true],
  ['co.uk', true],
  ['github.io', true],
  ['example.com', false],
  ['shop.example.co.uk', false],
  ['me.github.io', false],
  ['localhost', true],
  ['127.0.0.1', false],
])('%s is a public suffix: %s', (domain, expected) => {
  expect(isPublicSuffix(domain)).toBe(expected);
});
