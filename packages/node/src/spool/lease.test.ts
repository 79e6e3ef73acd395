import * as files from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../core/test/support/make-temp-folder.ts';
import { Lease } from './lease.ts';

const STALE_AFTER_TICKS = 3;
const tickAll = async (leases: readonly Lease[]) => {
  for (const lease of leases) await lease.tick();
};
const held = (leases: readonly Lease[]) => leases.map(({ isHeld }) => isHeld);

function make(count: number, over: Partial<typeof files> = {}) {
  const path = join(makeTempFolder(), 'lock');
  const leases = Array.from(
    { length: count },
    () => new Lease(path, STALE_AFTER_TICKS, { ...files, ...over }),
  );
  return { path, leases };
}

test('of several concurrent processes, one acquires the lease and keeps it at later ticks', async () => {
  const { leases } = make(20);
  await Promise.all(leases.map((lease) => lease.tick()));
  const first = held(leases);
  expect(first.filter(Boolean)).toHaveLength(1);
  for (let count = 0; count < 10; count += 1) await Promise.all(leases.map((lease) => lease.tick()));
  expect(held(leases)).toEqual(first);
});

test('a released lease can be acquired immediately', async () => {
  const { leases, path } = make(2);
  await tickAll(leases);
  await leases[0]?.release();
  await expect(files.stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
  await tickAll(leases.toReversed());
  expect(held(leases)).toEqual([false, true]);
});

test('another process takes over from a silent holder; the old holder notices this at its next tick', async () => {
  const { leases } = make(10);
  const [silent, ...others] = leases;
  await silent?.tick();
  for (let count = 0; count < STALE_AFTER_TICKS; count += 1)
    await Promise.all(others.map((lease) => lease.tick()));
  expect(held(others).filter(Boolean)).toHaveLength(0);
  for (let count = 0; count < 3; count += 1) await Promise.all(others.map((lease) => lease.tick()));
  expect(held(others).filter(Boolean)).toHaveLength(1);
  expect(silent?.isHeld).toBe(true);
  await silent?.tick();
  expect(silent?.isHeld).toBe(false);
  await silent?.release();
  await Promise.all(others.map((lease) => lease.tick()));
  expect(held(others).filter(Boolean)).toHaveLength(1);
});

test('a lease renewed just before the takeover stays with its holder', async () => {
  let beforeBreak = async () => {};
  const { leases, path } = make(2, {
    rename: async (from, to) => {
      if (from === path) await beforeBreak();
      await files.rename(from, to);
    },
  });
  const [holder, other] = leases;
  await holder?.tick();
  beforeBreak = async () => holder?.tick();
  for (let count = 0; count <= STALE_AFTER_TICKS; count += 1) await other?.tick();
  expect(held(leases)).toEqual([true, false]);
  await holder?.tick();
  expect(holder?.isHeld).toBe(true);
});

test('throws file system errors, and a later tick can succeed', async () => {
  let isBroken = true;
  const { leases } = make(1, {
    open: async (path, flags, mode) => {
      if (isBroken) throw Object.assign(new Error('read-only'), { code: 'EROFS' });
      return files.open(path, flags, mode);
    },
  });
  await expect(leases[0]?.tick()).rejects.toMatchObject({ code: 'EROFS' });
  isBroken = false;
  await leases[0]?.tick();
  expect(held(leases)).toEqual([true]);
});
