/**
 * Takes each behaviour of `test/mutations.ts` out of a copy of the package, builds it, and runs the test that must
 * notice. Prints a line for each, and ends with 1 when a test has noticed nothing.
 *
 * `node packages/tracker/scripts/mutation-test.ts [point …]`, after a build of the workspace.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type OutputOptions, type RollupOptions, rollup } from 'rollup';
import { startVitest } from 'vitest/node';
import { programVariables } from '../../../scripts/programs.ts';
import type { Mutation } from '../test/mutations/mutation.ts';
import { mutations, requirements } from '../test/mutations.ts';

/** Far longer than any of the tests takes; some that notice wait until then. */
const TEST_TIMEOUT_MS = 20_000;

const source = join(import.meta.dirname, '..');
const root = join(source, '../..');
const workspace = mkdtempSync(join(tmpdir(), 'affkit-mutation-test-'));
const copy = join(workspace, 'packages/tracker');
const inCopy = (path: string) => join(copy, path);

function prepareCopy(): void {
  const isCopied = (path: string) => !/[\\/](node_modules|\.rollup\.cache)$/.test(path);
  cpSync(source, copy, { recursive: true, filter: isCopied });
  symlinkSync(join(source, 'node_modules'), inCopy('node_modules'));
  symlinkSync(join(root, 'packages/protocol'), join(workspace, 'packages/protocol'));
  for (const name of ['node_modules', 'docs', 'scripts'])
    symlinkSync(join(root, name), join(workspace, name));
  for (const name of ['tsconfig.base.json', 'package.json']) cpSync(join(root, name), join(workspace, name));
}

let builds = 0;

/** Builds the copy as a whole, or the script alone; resolves to what the build refused with. */
async function build({ isWhole = false, isLimited = false }): Promise<string | undefined> {
  builds += 1;
  // Its plugins remember what they have seen.
  const config = `${pathToFileURL(inCopy('rollup.config.ts')).href}?${builds}`;
  const { default: all }: { default: RollupOptions[] } = await import(config);
  try {
    for (const { plugins, ...options } of isWhole ? all : all.slice(0, 1)) {
      // Another size is another mutation's matter.
      const kept = [plugins].flat().filter((plugin) => isLimited || !isSizeBudget(plugin));
      const bundle = await rollup({ ...options, plugins: kept, onLog() {} });
      await bundle.write(options.output as OutputOptions);
      await bundle.close();
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const isSizeBudget = (plugin: unknown) => (plugin as { name?: string }).name === 'size-budget';

/** Placeholders of a table's tests stand for anything. */
const patternOf = (name: string) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/%\w/g, '.*');

/** Runs test files of the copy, or the tests of that name; resolves to how many passed and failed. */
async function test(files: readonly string[], name?: string): Promise<{ passed: number; failed: number }> {
  const vitest = await startVitest(
    'test',
    files.map((file) => `/${file}.e2e.test.ts`),
    {
      root: copy,
      config: false,
      watch: false,
      include: ['test/*.e2e.test.ts'],
      reporters: [{}],
      fileParallelism: false,
      testTimeout: TEST_TIMEOUT_MS,
      hookTimeout: 60_000,
      env: programVariables(),
      ...(name && { testNamePattern: patternOf(name) }),
    },
  );
  const modules = vitest.state.getTestModules();
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const count = (state: string) => tests.filter((one) => one.result().state === state).length;
  // A file that does not even load has no tests.
  const broken = modules.filter((module) => module.errors().length > 0).length;
  await vitest.close();
  // A test that fails says so for the process too.
  process.exitCode = 0;
  return { passed: count('passed'), failed: count('failed') + broken };
}

/** Whether more than the script has to be built to tell. */
const needsModule = ({ file, detectedBy: by }: Mutation) => /react/.test(file) || /^(module|guide)$/.test(by[0]);

/** Resolves to whether the mutation was noticed, and by what. */
async function takeOut(mutation: Mutation): Promise<{ isNoticed: boolean; what: string }> {
  const { file, find, replace, detectedBy: by } = mutation;
  const before = readFileSync(inCopy(file), 'utf8');
  writeFileSync(
    inCopy(file),
    before.replace(find, () => replace),
  );
  try {
    const isLimited = by === 'the build';
    const refusal = await build({ isWhole: needsModule(mutation), isLimited });
    if (isLimited) return { isNoticed: /above \d+$/.test(refusal ?? ''), what: refusal ?? 'built' };
    if (refusal) return { isNoticed: false, what: `not built: ${refusal}` };
    const { passed, failed } = await test([by[0]], by[1]);
    return { isNoticed: failed > 0, what: `${by[0]}: ${by[1]} (${failed} of ${passed + failed} failed)` };
  } finally {
    writeFileSync(inCopy(file), before);
  }
}

async function main(wanted: readonly number[]): Promise<void> {
  const chosen = mutations.filter(({ requirement: point }) => wanted.length === 0 || wanted.includes(point));
  prepareCopy();
  const files = [...new Set(chosen.flatMap(({ detectedBy: by }) => (by === 'the build' ? [] : [by[0]])))];
  const refusal = await build({ isWhole: true, isLimited: true });
  const control = await test(files);
  console.log(`As it is: ${control.passed} passed, ${control.failed} failed in ${files.join(', ')}`);
  if (refusal || control.failed > 0) throw new Error(refusal ?? 'What fails as it is proves nothing');

  let unnoticed = 0;
  for (const mutation of chosen) {
    const { isNoticed, what } = await takeOut(mutation);
    if (!isNoticed) unnoticed += 1;
    const point = `${mutation.requirement} ${requirements[mutation.requirement]}`;
    console.log(`| ${point} | ${mutation.removes} | ${isNoticed ? 'noticed' : 'NOT NOTICED'} | ${what} |`);
    // The module that the next test may need is not built again by each.
    if (needsModule(mutation)) await build({ isWhole: true });
  }
  console.log(`${chosen.length - unnoticed} noticed, ${unnoticed} not`);
  process.exitCode = unnoticed === 0 ? 0 : 1;
}

try {
  await main(process.argv.slice(2).map(Number));
} finally {
  rmSync(workspace, { recursive: true, force: true });
}
