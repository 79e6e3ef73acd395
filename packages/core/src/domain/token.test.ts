import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashToken, isWellFormedToken, makeToken, maskToken } from './token.ts';

test('makeToken returns the prefix, 30 random characters and 6 check characters', () => {
  expect(makeToken('aff_', randomBytes)).toMatch(/^aff_[0-9A-Za-z]{36}$/);
  expect(makeToken('affk_', randomBytes)).toMatch(/^affk_[0-9A-Za-z]{36}$/);
});

test('isWellFormedToken detects one mistyped character', () => {
  fc.assert(
    fc.property(fc.nat({ max: 35 }), fc.constantFrom('0', 'a', 'Z'), (position, character) => {
      const token = makeToken('aff_', randomBytes);
      const at = 4 + position;
      const typo = token.slice(0, at) + character + token.slice(at + 1);
      expect(isWellFormedToken(typo)).toBe(typo === token);
    }),
  );
});

test('maskToken shows the prefix and four characters at each end', () => {
  expect(maskToken('affk_abcd1234567890wxyz')).toBe('affk_abcd…wxyz');
});

test('hashToken returns the SHA-256 in hex', () => {
  expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
