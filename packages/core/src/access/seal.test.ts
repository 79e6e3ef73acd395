import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openSecret, sealSecret } from './seal.ts';

const runtime = { secret: createSecretKey('a-secret-of-at-least-32-characters', 'utf8'), randomBytes };
const seal = (text: string, owner = 'a') => sealSecret(runtime, 'processor-secret', owner, text);
const open = (sealed: string, owner = 'a') => openSecret(runtime, 'processor-secret', owner, sealed);

test('openSecret returns the original text, and sealing the same text twice gives different results', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const sealed = seal(text);
      expect(open(sealed)).toBe(text);
      expect(seal(text)).not.toBe(sealed);
    }),
  );
});

test('openSecret returns null for another owner, label or secret', () => {
  const sealed = seal('whsec_1');
  const other = { secret: createSecretKey('another-secret-of-at-least-32-characters', 'utf8') };
  expect([
    open(sealed, 'b'),
    openSecret(runtime, 'session', 'a', sealed),
    openSecret(other, 'processor-secret', 'a', sealed),
  ]).toEqual([null, null, null]);
});

test('openSecret returns null for text that was changed or truncated', () => {
  const bytes = Buffer.from(seal('whsec_1'), 'base64url');
  for (let position = 0; position < bytes.length; position++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(position) ^ 1, position);
    expect(open(changed.toString('base64url'))).toBeNull();
    expect(open(bytes.subarray(0, position).toString('base64url'))).toBeNull();
  }
});
