import { spawnSync } from 'node:child_process';
import { findCitus } from '../deploy/citus/cluster.ts';
import { build, buildIfChanged, bundleServer } from './build.ts';
import { prepareRelease, readRelease, writeImageVersion } from './release.ts';
import {
  collectCommand,
  interruptionCode,
  programsStep,
  runCommand,
  startAllTests,
  vitestStep,
} from './steps.ts';
import { sum, type Tally, tallyOfCode } from './tally.ts';

interface Step {
  readonly name: string;
  readonly run: () => Promise<Tally>;
}

/** The command of each check. The key is the name of its step. */
const CHECKS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  'format and lint': ['biome', 'ci', '.', '--colors=off'],
  // With several checkers, each would check the shared types again.
  types: ['tsc', '--noEmit', '-p', 'tsconfig.json', '--checkers', '1'],
  'dead code': ['knip'],
  imports: [
    'depcruise',
    '--config',
    'dependency-cruiser.config.ts',
    'packages',
    'examples',
    'bench',
    'deploy',
    'scripts',
    'site',
  ],
};

/** Starts all checks. Each returned step waits for one check and prints its output. */
function startChecks(): Step[] {
  return Object.entries(CHECKS).map(([name, command]) => {
    const result = collectCommand(...command);
    return {
      name,
      run: async () => {
        const { output, tally } = await result;
        if (output !== '') console.log(output.trimEnd());
        return tally;
      },
    };
  });
}

/** Runs every step, even after a failure, and prints the totals on the last line. */
async function runSteps(steps: readonly Step[]): Promise<number> {
  const tallies: Tally[] = [];
  const failedSteps: string[] = [];
  for (const step of steps) {
    console.log(`\n> ${step.name}`);
    const tally = await step.run();
    tallies.push(tally);
    if (tally.failed > 0) failedSteps.push(step.name);
    const interruption = interruptionCode();
    if (interruption !== undefined) return interruption;
  }
  const total = sum(tallies);
  if (failedSteps.length > 0) console.log(`\nFailed: ${failedSteps.join(', ')}`);
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

async function bench(args: readonly string[]): Promise<number> {
  if (args[0] === 'cost') return runCommand(process.execPath, 'bench/src/cost/main.ts', ...args.slice(1));
  const built = await buildIfChanged();
  return built === 0 ? runCommand(process.execPath, 'bench/src/main.ts', ...args) : built;
}

async function buildForTests(): Promise<number> {
  return (await build()) || (await bundleServer());
}

/**
 * On Linux, tells the scheduler that this process and its children need throughput rather than short waits. This saved
 * a twentieth of the time of database and browser tests that ran together. Without the program `chrt`, it has no effect.
 */
function preferThroughput(): void {
  spawnSync('chrt', ['--all-tasks', '--batch', '--pid', '0', String(process.pid)], { stdio: 'ignore' });
}

/** @param isLong whether to build the documentation site too. It has no effect if `args` selects tests. */
function testAll(args: readonly string[], isLong = false): Promise<number> {
  preferThroughput();
  const built = buildForTests();
  // `startAllTests` starts the first tests while the checks and the installation of programs are still running.
  const tests = args.length === 0 ? startAllTests(built) : () => vitestStep(...args);
  return runSteps([
    { name: 'build', run: async () => tallyOfCode(await built) },
    ...startChecks(),
    { name: 'programs', run: programsStep },
    { name: 'tests', run: tests },
    ...(isLong && args.length === 0 ? [siteStep] : []),
  ]);
}

/** The packages whose tests use Affkit's database. Tests of other packages use the database of another application. */
const CITUS_TESTS = ['packages/core', 'packages/server'];

/** Runs the database tests on a Citus cluster, and the tests of the cluster itself. */
async function testCitus(args: readonly string[]): Promise<number> {
  try {
    process.env['CITUS_BIN'] = findCitus();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
  process.env['AFFKIT_TEST_CITUS'] = '1';
  const files = args.length === 0 ? CITUS_TESTS : args;
  return runSteps([
    { name: 'build', run: async () => tallyOfCode(await buildIfChanged()) },
    { name: 'database tests on Citus', run: () => vitestStep('--project=int*', '--project=citus', ...files) },
  ]);
}

/** Applies the changesets, and writes the new version into the files that contain a version of the container image. */
async function raiseVersion(): Promise<number> {
  const raised = await runCommand('changeset', 'version');
  if (raised !== 0) return raised;
  writeImageVersion(process.cwd());
  return runCommand('biome', 'format', '--write', '.');
}

/** Runs VitePress on the sources of the packages, so that no build is needed. */
function runVitePress(command: 'build' | 'dev', args: readonly string[]): Promise<number> {
  const program = 'site/node_modules/vitepress/bin/vitepress.js';
  return runCommand(process.execPath, '--conditions=@affkit/source', program, command, 'site', ...args);
}

/** Fails if a link of the site has no target. */
const siteStep: Step = {
  name: 'documentation site',
  run: async () => tallyOfCode(await runVitePress('build', [])),
};

/**
 * Publishes the packages whose versions are not on npm yet. The release workflow runs this on a checkout of the tag.
 */
async function publish(): Promise<number> {
  const { AFFKIT_PNPM: pnpm = 'pnpm' } = process.env;
  try {
    prepareRelease(process.cwd(), readRelease());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
  const built = await build();
  if (built !== 0) return built;
  // Changesets calls pnpm, which npx adds to the PATH.
  return runCommand('npx', '-y', pnpm, 'exec', 'changeset', 'publish', '--no-git-tag');
}

async function runTask(task: string | undefined, args: readonly string[]): Promise<number> {
  switch (task) {
    case 'build':
      return build();
    case 'build-if-changed':
      return buildIfChanged();
    case 'affkit':
      return runCommand(
        process.execPath,
        '--conditions=@affkit/source',
        'packages/server/src/cli.ts',
        ...args,
      );
    case 'docs':
      return runVitePress('dev', args);
    case 'docs:build':
      return runVitePress('build', args);
    case 'bench':
      return bench(args);
    case 'release:version':
      return raiseVersion();
    case 'release:publish':
      return publish();
    case 'format':
      return runCommand('biome', 'check', '--write', '.', ...args);
    case 'check':
      return runSteps([...startChecks(), { name: 'hygiene', run: () => vitestStep('--project=hygiene') }]);
    case 'test:unit':
      return runSteps([{ name: 'unit tests', run: () => vitestStep('--project=unit*', ...args) }]);
    case 'test:int':
      return runSteps([{ name: 'database tests', run: () => vitestStep('--project=int*', ...args) }]);
    case 'test:citus':
      return testCitus(args);
    case 'test:attack':
      process.env['AFFKIT_TEST_LONG'] = '1';
      return runSteps([{ name: 'attacks', run: () => vitestStep('--project=attack', ...args) }]);
    case 'test:long':
      process.env['AFFKIT_TEST_LONG'] = '1';
      return testAll(args, true);
    case 'test':
      return testAll(args);
    default:
      console.error(`Unknown task "${task ?? ''}"`);
      return 1;
  }
}

const [task, ...args] = process.argv.slice(2);
process.exitCode = await runTask(task, args);
