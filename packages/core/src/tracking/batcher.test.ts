import { expect, test } from 'vitest';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { Batcher } from './batcher.ts';

test('calls onFull when a batch is full, even if it fills up while another batch is written', async () => {
  const works: (() => void)[] = [];
  const batches: number[][] = [];
  let fullCalls = 0;
  const batcher = new Batcher<number, number>({
    write: (work) =>
      new Promise((resolve, reject) => {
        // The cast is safe because the work does not use the transaction.
        works.push(() => work({} as Transaction).then(resolve, reject));
      }),
    record: async (_tx, requests) => {
      batches.push([...requests]);
      return [...requests];
    },
    maxBatch: 3,
    onFull: () => {
      fullCalls += 1;
    },
  });
  const outcomes = [1, 2].map((request) => batcher.record(request));
  expect(fullCalls).toBe(0);
  outcomes.push(batcher.record(3));
  expect(fullCalls).toBe(1);
  outcomes.push(...[4, 5, 6, 7].map((request) => batcher.record(request)));
  const before = fullCalls;
  works.shift()?.();
  expect(fullCalls).toBe(before + 1);
  while (works.length > 0) works.shift()?.();
  expect(await Promise.all(outcomes)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(batches).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
});
