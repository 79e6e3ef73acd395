import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LargeBodyLimiter } from './large-body-limiter.ts';
import type { BodyReading } from './message.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const MEBIBYTE = 1024 * 1024;

/** Returns a read that ends only when it is aborted. */
const readForever = ({ signal }: BodyReading) =>
  new Promise<never>((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });

test('rejects a body that has not arrived within 10 seconds', async () => {
  const body = new LargeBodyLimiter().open('client');
  const read = body.read(readForever);
  let isSettled = false;
  read.then(() => {
    isSettled = true;
  });
  await vi.advanceTimersByTimeAsync(9_999);
  expect(isSettled).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await read).toMatchObject({ code: 'request_timeout' });
});

test('counts complete bodies until they are released, but aborts only incomplete ones at the limit', async () => {
  const bodies = new LargeBodyLimiter();
  const complete = Array.from({ length: 8 }, () => bodies.open('client'));
  const readAll = async ({ onProgress, signal }: BodyReading) => {
    onProgress?.(MEBIBYTE);
    signal?.throwIfAborted();
    return 'read';
  };
  for (const body of complete) expect(await body.read(readAll)).toBe('read');
  const next = bodies.open('client');
  await expect(next.read(readAll)).rejects.toThrow('8 MiB of large webhook bodies of one client');
  next.release();
  complete[0]?.release();
  expect(await bodies.open('client').read(readAll)).toBe('read');
});

test('rejects with the error of a read that fails', async () => {
  const read = new LargeBodyLimiter().open('client').read(() => Promise.reject(new Error('closed')));
  await expect(read).rejects.toThrow('closed');
});
