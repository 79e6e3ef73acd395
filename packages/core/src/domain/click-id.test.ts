import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeClickId, programOfClickId } from './click-id.ts';

test('makeClickId encodes the program, time and random bytes in fixed widths', () => {
  const id = makeClickId(33, 0, () => new Uint8Array(10).fill(255));
  expect(id).toBe('clk_00000110000000000zzzzzzzzzzzzzzzz');
  expect(programOfClickId(id)).toBe(33);
});

test('every program, time and random value yields a well-formed id that contains the program id', () => {
  const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 32 ** 7 - 1 }),
      fc.integer({ min: 0, max: 32 ** 9 }),
      bytes,
      (program, at, random) => {
        const id = makeClickId(program, at, () => random);
        expect(id).toMatch(/^clk_[0-9a-hjkmnp-tv-z]{33}$/);
        expect(programOfClickId(id)).toBe(program);
      },
    ),
  );
});

test('makeClickId ignores fractions of a millisecond in the time', () => {
  const id = (at: number) => makeClickId(1, at, () => new Uint8Array(10));
  expect(id(1_750_000_000_000.75)).toBe(id(1_750_000_000_000));
});

test('different random bytes yield different ids', () => {
  const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      fc.pre(a.some((byte, index) => byte !== b[index]));
      expect(makeClickId(1, 1, () => a)).not.toBe(makeClickId(1, 1, () => b));
    }),
  );
});

test('programOfClickId returns null for text that is not a click id', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(programOfClickId(text)).toBeNull();
    }),
  );
  expect(programOfClickId('clk_0000011000000000ozzzzzzzzzzzzzzzz')).toBeNull();
});
