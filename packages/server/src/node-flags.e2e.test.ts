import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { NODE_FLAGS } from './node-flags.ts';

const MEBIBYTE = 2 ** 20;

/**
 * Allocates memory in steps, as requests do. Prints the median size of the young generation in the second
 * half. The peak is not used, because V8 briefly exceeds its limit while it moves objects, depending on the
 * load of the machine.
 */
const ALLOCATE = `
  const { getHeapSpaceStatistics } = await import('node:v8');
  const sizes = [];
  for (let turn = 0, kept = []; turn < 400; turn++) {
    for (let index = 0; index < 20_000; index++) kept.push({ index, list: [turn, index] });
    if (turn % 20 === 0) kept = [];
    await new Promise((resolve) => setImmediate(resolve));
    sizes.push(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size);
  }
  console.log(sizes.slice(200).sort((one, other) => one - other)[100]);`;

function measureMebibytes(flags: readonly string[]): number {
  const args = [...flags, '--input-type=module', '--eval', ALLOCATE];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8', env: {} })) / MEBIBYTE;
}

test('NODE_FLAGS limit the young generation to about 64 MB; V8 on its own exceeds 100 MB', () => {
  expect(measureMebibytes([])).toBeGreaterThan(100);
  expect(measureMebibytes(NODE_FLAGS)).toBeLessThan(80);
});
