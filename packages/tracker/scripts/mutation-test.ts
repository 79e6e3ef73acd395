/**
 * Applies each mutation in `test/mutations.ts` to a copy of the package, builds the copy, and runs the test
 * that must fail. Prints one line per mutation. Exits with 1 if any mutation was not detected.
 *
 * Usage, after a build: `node packages/tracker/scripts/mutation-test.ts [requirement number …]`
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

/** Much longer than a test takes. Some tests detect a mutation only by this timeout. */
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
  for (const name of ['packages/core', 'packages/protocol'])
    symlinkSync(join(root, name), join(workspace, name));
  for (const name of ['node_modules', 'docs', 'scripts'])
    symlinkSync(join(root, name), join(workspace, name));
  for (const name of ['tsconfig.base.json', 'package.json']) cpSync(join(root, name), join(workspace, name));
}

let builds = 0;

/** Builds either the whole package or only the script. @returns the error message if the build failed */
async function build({ isWhole = false, isLimited = false }): Promise<string | undefined> {
  builds += 1;
  // Import the configuration again for each build, because the plugins cache files.
  const config = `${pathToFileURL(inCopy('rollup.config.ts')).href}?${builds}`;
  const { default: all }: { default: RollupOptions[] } = await import(config);
  try {
    for (const { plugins, ...options } of isWhole ? all : all.slice(0, 2)) {
      // Only mutations of the size budget may fail because of the size, so remove that check for all others.
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

/** Returns a pattern that matches the name literally, except for the placeholders of `it.each`. */
const patternOf = (name: string) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/%\w/g, '.*');

/**
 * Runs all tests in files of the copy, or only the tests with the given name.
 * @returns the number of tests that passed and failed
 */
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
      // Some mutations are detected only by cases that `npm test` leaves out.
      env: { ...programVariables(), AFFKIT_TEST_LONG: '1' },
      ...(name && { testNamePattern: patternOf(name) }),
    },
  );
  const modules = vitest.state.getTestModules();
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const count = (state: string) => tests.filter((one) => one.result().state === state).length;
  // A file that cannot be loaded has no tests. Count it as one failure.
  const broken = modules.filter((module) => module.errors().length > 0).length;
  await vitest.close();
  // Reset the exit code, because Vitest sets it when a test fails.
  process.exitCode = 0;
  return { passed: count('passed'), failed: count('failed') + broken };
}

/** Whether the test needs the built module as well as the script. */
const needsModule = ({ file, detectedBy }: Mutation) =>
  /react/.test(file) || /^(module|guide)$/.test(detectedBy[0]);

/** Applies a mutation, runs its test and restores the file. */
async function applyMutation(mutation: Mutation): Promise<{ isDetected: boolean; detail: string }> {
  const { file, find, replace, detectedBy } = mutation;
  const original = readFileSync(inCopy(file), 'utf8');
  writeFileSync(
    inCopy(file),
    original.replace(find, () => replace),
  );
  try {
    const isLimited = detectedBy === 'the build';
    const buildError = await build({ isWhole: needsModule(mutation), isLimited });
    if (isLimited) return { isDetected: /above \d+$/.test(buildError ?? ''), detail: buildError ?? 'built' };
    if (buildError) return { isDetected: false, detail: `build failed: ${buildError}` };
    const [testFile, name] = detectedBy;
    const { passed, failed } = await test([testFile], name);
    const detail = `${testFile}: ${name} (${failed} of ${passed + failed} failed)`;
    return { isDetected: failed > 0, detail };
  } finally {
    writeFileSync(inCopy(file), original);
  }
}

async function main(numbers: readonly number[]): Promise<void> {
  const selected = mutations.filter(
    ({ requirement }) => numbers.length === 0 || numbers.includes(requirement),
  );
  prepareCopy();
  const files = selected.flatMap(({ detectedBy }) => (detectedBy === 'the build' ? [] : [detectedBy[0]]));
  const testFiles = [...new Set(files)];
  const buildError = await build({ isWhole: true, isLimited: true });
  const control = await test(testFiles);
  console.log(`Unmutated: ${control.passed} passed, ${control.failed} failed in ${testFiles.join(', ')}`);
  if (buildError || control.failed > 0) {
    throw new Error(buildError ?? 'The tests must pass without a mutation');
  }

  let undetected = 0;
  for (const mutation of selected) {
    const { isDetected, detail } = await applyMutation(mutation);
    if (!isDetected) undetected += 1;
    const requirement = `${mutation.requirement} ${requirements[mutation.requirement]}`;
    const verdict = isDetected ? 'detected' : 'NOT DETECTED';
    console.log(`| ${requirement} | ${mutation.removes} | ${verdict} | ${detail} |`);
    // Build the module without the mutation again, because the next mutation may build only the script.
    if (needsModule(mutation)) await build({ isWhole: true });
  }
  console.log(`${selected.length - undetected} detected, ${undetected} not detected`);
  process.exitCode = undetected === 0 ? 0 : 1;
}

try {
  await main(process.argv.slice(2).map(Number));
} finally {
  rmSync(workspace, { recursive: true, force: true });
}
