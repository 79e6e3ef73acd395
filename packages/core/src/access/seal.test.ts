import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openSecret, sealSecret } from './seal.ts';

const runtime = { secret: createSecretKey('a-secret-of-at-least-32-characters', 'utf8'), randomBytes };
const seal = (text: string, owner = 'a') => sealSecret(runtime, 'processor-secret', owner, text);
const open = (sealed: string, owner = 'a') => openSecret(runtime, 'processor-secret', owner, sealed);

test('any text comes back, and twice sealed is not the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const sealed = seal(text);
      expect(open(sealed)).toBe(text);
      expect(seal(text)).not.toBe(sealed);
    }),
  );
});

test('nothing opens for another owner, another use or under another secret', () => {
  const sealed = seal('whsec_1');
  const other = { secret: createSecretKey('another-secret-of-at-least-32-characters', 'utf8') };
  expect([
    open(sealed, 'b'),
    openSecret(runtime, 'session', 'a', sealed),
    openSecret(other, 'processor-secret', 'a', sealed),
  ]).toEqual([null, null, null]);
});

test('nothing opens that was changed or cut', () => {
  const bytes = Buffer.from(seal('whsec_1'), 'base64url');
  for (let place = 0; place < bytes.length; place++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
    expect(open(changed.toString('base64url'))).toBeNull();
    expect(open(bytes.subarray(0, place).toString('base64url'))).toBeNull();
  }
});
