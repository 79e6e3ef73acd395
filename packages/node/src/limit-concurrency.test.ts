import { expect, test } from 'vitest';
import { rejectionOf } from '../test/client.ts';
import { limitConcurrency } from './limit-concurrency.ts';

test('runs at most `max` calls at a time and in order, even after a call has failed', async () => {
  const limit = limitConcurrency(2);
  const started: number[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const calls = [0, 1, 2, 3].map((index) =>
    limit(() => {
      started.push(index);
      const end = Promise.withResolvers<void>();
      ends.push(end);
      return end.promise;
    }),
  );
  const outcomes = Promise.allSettled(calls);
  expect(started).toEqual([0, 1]);
  ends[1]?.reject(new Error('failed'));
  expect(await rejectionOf(calls[1] ?? Promise.resolve())).toMatchObject({ message: 'failed' });
  expect(started).toEqual([0, 1, 2]);
  ends[0]?.resolve();
  ends[2]?.resolve();
  await calls[2];
  expect(started).toEqual([0, 1, 2, 3]);
  ends[3]?.resolve();
  await outcomes;
  expect(await limit(async () => 'free again')).toBe('free again');
});
