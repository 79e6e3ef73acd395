import fc from 'fast-check';
import { expect, test } from 'vitest';
import { liveBytes } from '../../test/support/heap.ts';
import { BodyBytes } from './body-bytes.ts';

test('a body is what its pieces were, however they were cut', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 3 }), { maxLength: 300 }), (pieces) => {
      const bytes = new BodyBytes(1_000);
      for (const piece of pieces) expect(bytes.add(piece)).toBe(true);
      expect([...bytes.all()]).toEqual(pieces.flatMap((piece) => [...piece]));
    }),
  );
});

test('a body of one piece is not copied', () => {
  const piece = new Uint8Array(10);
  const bytes = new BodyBytes(10);
  bytes.add(piece);
  expect(bytes.all().buffer).toBe(piece.buffer);
});

test('it takes as much as its limit, and no byte more', () => {
  const bytes = new BodyBytes(3);
  expect([2, 1, 1].map((length) => bytes.add(new Uint8Array(length)))).toEqual([true, true, false]);
});

test('many pieces of a byte each are not kept one by one', () => {
  const LIMIT = 64 * 1024;
  const bytes = new BodyBytes(LIMIT);
  const before = liveBytes();
  for (let sent = 0; sent < LIMIT; sent++) bytes.add(new Uint8Array(1));
  expect(liveBytes() - before).toBeLessThan(16 * LIMIT);
  expect(bytes.all()).toHaveLength(LIMIT);
});
