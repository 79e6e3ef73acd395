import fc from 'fast-check';
import { expect, test } from 'vitest';
import { liveBytes } from '../../test/support/heap.ts';
import { BodyBytes } from './body-bytes.ts';

test('concatenates chunks of any size', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 3 }), { maxLength: 300 }), (chunks) => {
      const bytes = new BodyBytes(1_000);
      for (const chunk of chunks) expect(bytes.add(chunk)).toBe(true);
      expect([...bytes.all()]).toEqual(chunks.flatMap((chunk) => [...chunk]));
    }),
  );
});

test('does not copy a single chunk', () => {
  const chunk = new Uint8Array(10);
  const bytes = new BodyBytes(10);
  bytes.add(chunk);
  expect(bytes.all().buffer).toBe(chunk.buffer);
});

test('rejects a chunk that exceeds the limit by one byte', () => {
  const bytes = new BodyBytes(3);
  expect([2, 1, 1].map((length) => bytes.add(new Uint8Array(length)))).toEqual([true, true, false]);
});

test('uses little memory for many chunks of one byte', () => {
  const LIMIT = 64 * 1024;
  const bytes = new BodyBytes(LIMIT);
  const before = liveBytes();
  for (let sent = 0; sent < LIMIT; sent++) bytes.add(new Uint8Array(1));
  expect(liveBytes() - before).toBeLessThan(16 * LIMIT);
  expect(bytes.all()).toHaveLength(LIMIT);
});
