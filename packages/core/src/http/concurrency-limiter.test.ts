import { beforeEach, expect, test } from 'vitest';
import { Unavailable } from '../rejection.ts';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';

let idleMs: number;
let room: ConcurrencyLimiter;
let underWay: PromiseWithResolvers<void>[];

beforeEach(() => {
  idleMs = 1_000_000;
  room = new ConcurrencyLimiter(() => idleMs);
  underWay = [];
});

/** A request that is under way until it is ended. @returns false where it is refused */
async function enter(): Promise<boolean> {
  const end = Promise.withResolvers<void>();
  try {
    await room.run(() => {
      underWay.push(end);
      return end.promise;
    });
    return true;
  } catch (error) {
    return !(error instanceof Unavailable);
  }
}

/** As many as find a place, and then fail, for that says nothing of the pace. */
async function countPlaces(): Promise<number> {
  const before = underWay.length;
  const entries: Promise<boolean>[] = [];
  while (underWay.length === before + entries.length) entries.push(enter());
  expect(await entries.pop()).toBe(false);
  for (const end of underWay.splice(0)) end.reject(new Error('ended'));
  expect(new Set(await Promise.all(entries))).toEqual(new Set([true]));
  return entries.length;
}

/** Requests that the database answers at an even pace, a full batch of others always waiting already. */
async function answerSome(count: number, msEach: number, behind = 500): Promise<void> {
  const waiting = Array.from({ length: count }, enter);
  const others = Array.from({ length: behind }, enter);
  for (const [index, entry] of waiting.entries()) {
    idleMs += msEach;
    underWay[index]?.resolve();
    await entry;
  }
  for (const end of underWay.splice(0)) end.reject(new Error('ended'));
  await Promise.all(others);
}

/** A few clients, who are answered together each time, when as many others wait already. */
async function answerFew(times: number, msTogether: number): Promise<void> {
  let few = Array.from({ length: 4 }, enter);
  for (let time = 0; time < times; time++) {
    const ends = underWay.splice(0);
    const next = Array.from({ length: 4 }, enter);
    idleMs += msTogether;
    for (const end of ends) end.resolve();
    await Promise.all(few);
    few = next;
  }
  for (const end of underWay.splice(0)) end.reject(new Error('ended'));
  await Promise.all(few);
}

test('before anything was measured it takes what it would at a thousand a second', async () => {
  expect(await countPlaces()).toBe(2000);
  expect(await countPlaces()).toBe(2000);
});

test('it takes on two seconds of work', async () => {
  await answerSome(2000, 0.5);
  expect(await countPlaces()).toBe(4000);
});

test('one slow second is forgiven, two are not', async () => {
  await answerSome(2000, 0.5);
  await answerSome(400, 2.5);
  expect(await countPlaces()).toBe(4000);
  await answerSome(400, 2.5);
  expect(await countPlaces()).toBe(800);
});

test('a process at its own limit, which waits for nothing, refuses nobody for it', async () => {
  await answerSome(1000, 0);
  expect(await countPlaces()).toBe(10_000);
});

test('it takes on a full batch, however slow they are', async () => {
  await answerSome(10, 60_000);
  expect(await countPlaces()).toBe(500);
});

test('it takes on no more than there is memory for, however fast they are', async () => {
  await answerSome(1000, 0.125);
  expect(await countPlaces()).toBe(10_000);
});

test('a room for fewer takes no more, at any pace', async () => {
  room = new ConcurrencyLimiter(() => idleMs, 600);
  expect(await countPlaces()).toBe(600);
  await answerSome(1000, 0);
  expect(await countPlaces()).toBe(600);
});

test('a pause in which nobody came is no slow answer', async () => {
  await answerSome(2000, 0.5);
  for (let visit = 0; visit < 3; visit++) {
    idleMs += 3_600_000;
    await answerSome(1, 1);
  }
  expect(await countPlaces()).toBe(4000);
});

test('the pace of a few says nothing of how many could be answered at once', async () => {
  await answerFew(500, 20);
  expect(await countPlaces()).toBe(2000);
});

test('a few who wait for long tell that the database is slow, and soon that it is no more', async () => {
  await answerSome(10, 60_000, 0);
  expect(await countPlaces()).toBe(500);
  await answerFew(2, 60_000);
  expect(await countPlaces()).toBe(500);
  await answerFew(500, 20);
  expect(await countPlaces()).toBe(2000);
});

test('those that fail say nothing of the pace', async () => {
  for (let i = 0; i < 4000; i++) {
    idleMs += 0.5;
    await room.run(() => Promise.reject(new Error('broken'))).catch(() => {});
  }
  expect(await countPlaces()).toBe(2000);
});

test('whoever sends a body slowly takes no place meanwhile, and is refused when there is none at its end', async () => {
  const sent = Promise.withResolvers<void>();
  const slow = Array.from({ length: 3000 }, () => room.run((aside) => aside(() => sent.promise)));
  expect(await countPlaces()).toBe(2000);
  const others = Array.from({ length: 2000 }, enter);
  sent.resolve();
  const outcomes = await Promise.allSettled(slow);
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
  for (const end of underWay.splice(0)) end.reject(new Error('ended'));
  expect(new Set(await Promise.all(others))).toEqual(new Set([true]));
  expect(await countPlaces()).toBe(2000);
});

test('a body that breaks off gives its place back once', async () => {
  const broken = room.run((aside) => aside(() => Promise.reject(new Error('gone'))));
  await expect(broken).rejects.toThrow('gone');
  expect(await countPlaces()).toBe(2000);
});
