import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { NODE_FLAGS } from './node-flags.ts';

const MEBIBYTE = 2 ** 20;

/** Allocates in steps, as requests do, and prints the peak size of the young generation. */
const ALLOCATE = `
  const { getHeapSpaceStatistics } = await import('node:v8');
  let peakBytes = 0;
  for (let turn = 0, kept = []; turn < 400; turn++) {
    for (let index = 0; index < 20_000; index++) kept.push({ index, list: [turn, index] });
    if (turn % 20 === 0) kept = [];
    await new Promise((resolve) => setImmediate(resolve));
    const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    peakBytes = Math.max(peakBytes, space_size);
  }
  console.log(peakBytes);`;

function measurePeakMebibytes(flags: readonly string[]): number {
  const args = [...flags, '--input-type=module', '--eval', ALLOCATE];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8', env: {} })) / MEBIBYTE;
}

test('NODE_FLAGS limit the young generation to about 64 MB; V8 on its own exceeds 100 MB', () => {
  expect(measurePeakMebibytes([])).toBeGreaterThan(100);
  // V8 exceeds its limit by a few megabytes for a moment: 70.25 MB were measured.
  expect(measurePeakMebibytes(NODE_FLAGS)).toBeLessThan(80);
});
