import { expect, test } from 'vitest';
import { findBlockingDirectives } from './content-security-policy.ts';

const PAGE = new URL('https://shop.example/cart');
const script = (url = 'https://aff.example/js/affkit.js', nonce?: string) => ({
  kind: 'script' as const,
  url: new URL(url),
  nonce,
});
const connect = { kind: 'connect' as const, url: new URL('https://aff.example/api/v1/track/click') };

test.each([
  ["script-src 'self' https://aff.example"],
  ['script-src aff.example'],
  ['SCRIPT-SRC HTTPS://AFF.EXAMPLE'],
  ['script-src *'],
  ['script-src https:'],
  ['script-src *.example'],
  ['script-src https://aff.example:443'],
  ['script-src https://aff.example:*'],
  ['script-src http://aff.example'],
  ['script-src https://aff.example/js/'],
  ['script-src https://aff.example/js/affkit.js'],
  ["default-src 'none'; script-src aff.example"],
  ["script-src 'none'; script-src-elem aff.example"],
  ["img-src 'none'"],
  [''],
])('allows the script with %j', (policy) => {
  expect(findBlockingDirectives([policy], script(), PAGE)).toEqual([]);
});

test.each([
  ["default-src 'self'", "default-src 'self'"],
  ["script-src 'none'", "script-src 'none'"],
  ['script-src', 'script-src'],
  ["script-src-elem 'self'; script-src *", "script-src-elem 'self'"],
  ['script-src other.example', 'script-src other.example'],
  ['script-src *.aff.example', 'script-src *.aff.example'],
  ['script-src https://aff.example/other/', 'script-src https://aff.example/other/'],
  ['script-src https://aff.example/JS/', 'script-src https://aff.example/JS/'],
  ['script-src https://aff.example:8443', 'script-src https://aff.example:8443'],
  ["script-src 'nonce-abc'", "script-src 'nonce-abc'"],
  // If a policy has two directives with the same name, browsers use only the first.
  ["script-src 'self'; script-src *", "script-src 'self'"],
])('blocks the script with %j', (policy, directive) => {
  expect(findBlockingDirectives([policy], script(), PAGE)).toEqual([directive]);
});

test("the source 'self' allows only the host of the page", () => {
  expect(
    findBlockingDirectives(["script-src 'self'"], script('https://shop.example/t/js/affkit.js'), PAGE),
  ).toEqual([]);
  expect(
    findBlockingDirectives(["script-src 'self'"], script('https://www.shop.example/a.js'), PAGE),
  ).toHaveLength(1);
});

test('a nonce allows the script tag that has it, even with strict-dynamic, which disables host sources', () => {
  const policy = ["script-src 'strict-dynamic' 'nonce-r4nd0m' https:"];
  expect(findBlockingDirectives(policy, script(undefined, 'r4nd0m'), PAGE)).toEqual([]);
  expect(findBlockingDirectives(policy, script(), PAGE)).toHaveLength(1);
});

test('each policy must allow the resource, even if one header contains several policies', () => {
  const all = ['script-src *', "connect-src 'self'; script-src *, default-src aff.example"];
  expect(findBlockingDirectives(all, connect, PAGE)).toEqual(["connect-src 'self'"]);
  expect(findBlockingDirectives(all, script(), PAGE)).toEqual([]);
});

test('requests fall back from connect-src to default-src, not to script-src', () => {
  expect(findBlockingDirectives(["script-src 'none'"], connect, PAGE)).toEqual([]);
  expect(findBlockingDirectives(["default-src 'none'; script-src *"], connect, PAGE)).toEqual([
    "default-src 'none'",
  ]);
});
