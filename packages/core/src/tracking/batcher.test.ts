import { expect, test } from 'vitest';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { Batcher } from './batcher.ts';

test('tells when a batch is full, also of one that fills up while another is written', async () => {
  const works: (() => void)[] = [];
  const batches: number[][] = [];
  let timesFull = 0;
  const recorder = new Batcher<number, number>({
    write: (work) =>
      new Promise((resolve, reject) => {
        // The work uses nothing of the transaction.
        works.push(() => work({} as Transaction).then(resolve, reject));
      }),
    record: async (_tx, requests) => {
      batches.push([...requests]);
      return [...requests];
    },
    maxBatch: 3,
    onFull: () => {
      timesFull += 1;
    },
  });
  const outcomes = [1, 2].map((request) => recorder.record(request));
  expect(timesFull).toBe(0);
  outcomes.push(recorder.record(3));
  expect(timesFull).toBe(1);
  outcomes.push(...[4, 5, 6, 7].map((request) => recorder.record(request)));
  const before = timesFull;
  works.shift()?.();
  expect(timesFull).toBe(before + 1);
  while (works.length > 0) works.shift()?.();
  expect(await Promise.all(outcomes)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(batches).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
});
