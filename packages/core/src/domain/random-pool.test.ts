import fc from 'fast-check';
import { expect, test } from 'vitest';
import { poolRandomBytes } from './random-pool.ts';

test('each byte is handed out once, whatever is asked for', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 6000 }), { maxLength: 60 }), (counts) => {
      let drawn = 0;
      // Each byte of all draws has a place of its own.
      const places = new WeakMap<ArrayBufferLike, number>();
      const take = poolRandomBytes((count) => {
        const bytes = new Uint8Array(count);
        places.set(bytes.buffer, drawn);
        drawn += count;
        return bytes;
      });
      const taken = new Set<number>();
      for (const count of counts) {
        const bytes = take(count);
        expect(bytes).toHaveLength(count);
        const from = count === 0 ? 0 : (places.get(bytes.buffer) ?? Number.NaN) + bytes.byteOffset;
        for (let at = from; at < from + count; at++) {
          expect(taken.has(at)).toBe(false);
          taken.add(at);
        }
      }
      expect(taken.has(Number.NaN)).toBe(false);
    }),
  );
});

test('a draw serves many', () => {
  let draws = 0;
  const take = poolRandomBytes((count) => {
    draws += 1;
    return new Uint8Array(count);
  });
  for (let turn = 0; turn < 400; turn++) take(10);
  expect(draws).toBe(1);
});
