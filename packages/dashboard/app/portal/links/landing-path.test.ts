import { expect, test } from 'vitest';
import { landingPathOf } from './landing-path.ts';

test.each([
  ['', undefined],
  ['/tea?size=2', '/tea?size=2'],
  ['https://shop.example/tea#top', '/tea#top'],
  ['shop.example/tea', '/tea'],
  ['/a b', '/a%20b'],
  ['https://evil.example/tea', null],
  ['//evil.example', null],
  ['/\\evil.example', null],
  ['tea', null],
])('turns %j into the path %j', (text, path) => {
  expect(landingPathOf(text, 'https://shop.example/de')).toBe(path);
});

test('adds the protocol of the site to an address without one', () => {
  expect(landingPathOf('localhost:3000/tea', 'http://localhost:3000/')).toBe('/tea');
  expect(landingPathOf('HTTP://localhost:3000/tea', 'http://localhost:3000/')).toBe('/tea');
});
