import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const LIMIT_BYTES = 2 ** 26;

/** New objects of which many live for a while, made in steps as a server's requests make them. */
const WORK = `
  const { getHeapSpaceStatistics } = await import('node:v8');
  let most = 0;
  for (let turn = 0, kept = []; turn < 400; turn++) {
    for (let index = 0; index < 20_000; index++) kept.push({ index, list: [turn, index] });
    if (turn % 20 === 0) kept = [];
    await new Promise((resolve) => setImmediate(resolve));
    const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    most = Math.max(most, space_size);
  }
  console.log(most);`;

const LIMITED = `await import(${JSON.stringify(new URL('young-generation.ts', import.meta.url))});`;

/** @returns the most bytes that its new objects had */
function run(code: string, options: readonly string[] = []): number {
  const args = [...options, '--input-type=module', '--eval', code];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8', env: {} }));
}

test('the space of new objects stays small, which by itself it does not', () => {
  expect(run(WORK)).toBeGreaterThan(LIMIT_BYTES);
  expect(run(LIMITED + WORK)).toBeLessThanOrEqual(LIMIT_BYTES);
});

test.each(['--max-semi-space-size=64', '--max_semi_space_size=64'])(
  'a size that Node was started with is left as it is (%s)',
  (option) => {
    expect(run(LIMITED + WORK, [option])).toBeGreaterThan(LIMIT_BYTES);
  },
);
