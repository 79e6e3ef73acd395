import { beforeEach, expect, test } from 'vitest';
import { Unavailable } from '../rejection.ts';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';

let idleMs: number;
let limiter: ConcurrencyLimiter;
let inFlight: PromiseWithResolvers<void>[];

beforeEach(() => {
  idleMs = 1_000_000;
  limiter = new ConcurrencyLimiter(() => idleMs);
  inFlight = [];
});

/**
 * Starts a request that ends when its entry in `inFlight` is settled.
 * @returns false if the request is rejected
 */
async function enter(): Promise<boolean> {
  const end = Promise.withResolvers<void>();
  try {
    await limiter.run(() => {
      inFlight.push(end);
      return end.promise;
    });
    return true;
  } catch (error) {
    return !(error instanceof Unavailable);
  }
}

/**
 * Counts the free slots by filling them with requests, which then fail. Failed requests do not affect the measured
 * pace.
 */
async function countFreeSlots(): Promise<number> {
  const before = inFlight.length;
  const entries: Promise<boolean>[] = [];
  while (inFlight.length === before + entries.length) entries.push(enter());
  expect(await entries.pop()).toBe(false);
  for (const end of inFlight.splice(0)) end.reject(new Error('ended'));
  expect(new Set(await Promise.all(entries))).toEqual(new Set([true]));
  return entries.length;
}

/** Completes requests at an even pace, while `behind` other requests wait (by default a full batch of 500). */
async function completeEvenly(count: number, msEach: number, behind = 500): Promise<void> {
  const waiting = Array.from({ length: count }, enter);
  const others = Array.from({ length: behind }, enter);
  for (const [index, entry] of waiting.entries()) {
    idleMs += msEach;
    inFlight[index]?.resolve();
    await entry;
  }
  for (const end of inFlight.splice(0)) end.reject(new Error('ended'));
  await Promise.all(others);
}

/** Completes batches of four requests, while four other requests wait. */
async function completeBatchesOfFour(times: number, msTogether: number): Promise<void> {
  let batch = Array.from({ length: 4 }, enter);
  for (let time = 0; time < times; time++) {
    const ends = inFlight.splice(0);
    const next = Array.from({ length: 4 }, enter);
    idleMs += msTogether;
    for (const end of ends) end.resolve();
    await Promise.all(batch);
    batch = next;
  }
  for (const end of inFlight.splice(0)) end.reject(new Error('ended'));
  await Promise.all(batch);
}

test('before the first measurement, admits two seconds of work, and assumes 1 ms per request', async () => {
  expect(await countFreeSlots()).toBe(2000);
  expect(await countFreeSlots()).toBe(2000);
});

test('admits two seconds of work at the measured pace', async () => {
  await completeEvenly(2000, 0.5);
  expect(await countFreeSlots()).toBe(4000);
});

test('lowers the limit after two slow measurement windows, but not after one', async () => {
  await completeEvenly(2000, 0.5);
  await completeEvenly(400, 2.5);
  expect(await countFreeSlots()).toBe(4000);
  await completeEvenly(400, 2.5);
  expect(await countFreeSlots()).toBe(800);
});

test('raises the limit to the maximum when the process has no idle time', async () => {
  await completeEvenly(1000, 0);
  expect(await countFreeSlots()).toBe(10_000);
});

test('admits at least 500 requests, however slow the pace is', async () => {
  await completeEvenly(10, 60_000);
  expect(await countFreeSlots()).toBe(500);
});

test('admits at most 10,000 requests, however fast the pace is', async () => {
  await completeEvenly(1000, 0.125);
  expect(await countFreeSlots()).toBe(10_000);
});

test('never exceeds the maximum that was passed to the constructor', async () => {
  limiter = new ConcurrencyLimiter(() => idleMs, 600);
  expect(await countFreeSlots()).toBe(600);
  await completeEvenly(1000, 0);
  expect(await countFreeSlots()).toBe(600);
});

test('does not lower the limit after hours in which no request was in flight', async () => {
  await completeEvenly(2000, 0.5);
  for (let visit = 0; visit < 3; visit++) {
    idleMs += 3_600_000;
    await completeEvenly(1, 1);
  }
  expect(await countFreeSlots()).toBe(4000);
});

test('does not lower the limit when only a few requests are in flight', async () => {
  await completeBatchesOfFour(500, 20);
  expect(await countFreeSlots()).toBe(2000);
});

test('lowers the limit when a few requests are slow, and raises it when they are fast again', async () => {
  await completeEvenly(10, 60_000, 0);
  expect(await countFreeSlots()).toBe(500);
  await completeBatchesOfFour(2, 60_000);
  expect(await countFreeSlots()).toBe(500);
  await completeBatchesOfFour(500, 20);
  expect(await countFreeSlots()).toBe(2000);
});

test('does not raise the limit when requests fail quickly', async () => {
  for (let i = 0; i < 4000; i++) {
    idleMs += 0.5;
    await limiter.run(() => Promise.reject(new Error('broken'))).catch(() => {});
  }
  expect(await countFreeSlots()).toBe(2000);
});

test('reads slow bodies without a slot, and rejects the requests if no slot is free afterwards', async () => {
  const sent = Promise.withResolvers<void>();
  const slow = Array.from({ length: 3000 }, () =>
    limiter.run((withoutSlot) => withoutSlot(() => sent.promise)),
  );
  expect(await countFreeSlots()).toBe(2000);
  const others = Array.from({ length: 2000 }, enter);
  sent.resolve();
  const outcomes = await Promise.allSettled(slow);
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
  for (const end of inFlight.splice(0)) end.reject(new Error('ended'));
  expect(new Set(await Promise.all(others))).toEqual(new Set([true]));
  expect(await countFreeSlots()).toBe(2000);
});

test('releases the slot only once when reading the body fails', async () => {
  const broken = limiter.run((withoutSlot) => withoutSlot(() => Promise.reject(new Error('gone'))));
  await expect(broken).rejects.toThrow('gone');
  expect(await countFreeSlots()).toBe(2000);
});
