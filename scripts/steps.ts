import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { canInstallPrograms, findProgram, testPrograms } from './programs.ts';
import { sum, type Tally, tallyOf, tallyOfCode } from './tally.ts';
import { listFailures, listSlowestFiles, parseReport, type VitestReport } from './vitest-report.ts';

let interrupted: NodeJS.Signals | undefined;

/**
 * Environment variables of the TypeScript compiler, which is written in Go. They turn off garbage collection below
 * 3 GiB of memory, which saves a third of the compiler's CPU time.
 */
const RARE_GO_COLLECTION = { GOGC: 'off', GOMEMLIMIT: '3GiB' };

/** Runs a command in the root folder with inherited output. Forwards signals. Resolves to the exit code. */
export function runCommand(command: string, ...args: string[]): Promise<number> {
  return runLogged(undefined, command, ...args);
}

/** Runs a command like `runCommand`. Its output goes to the file `log`, if there is one. */
function runLogged(log: string | undefined, command: string, ...args: string[]): Promise<number> {
  if (interrupted !== undefined) return Promise.resolve(exitCodeOf(interrupted));
  const output = log === undefined ? undefined : openSync(log, 'w');
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: join(import.meta.dirname, '..'),
      env: { ...RARE_GO_COLLECTION, ...process.env },
      stdio: output === undefined ? 'inherit' : ['ignore', output, output],
      shell: process.platform === 'win32',
    });
    const passOn = (signal: NodeJS.Signals) => {
      interrupted = signal;
      child.kill(signal);
    };
    const end = (code: number) => {
      process.off('SIGINT', passOn).off('SIGTERM', passOn);
      if (output !== undefined) closeSync(output);
      resolve(code);
    };
    process.on('SIGINT', passOn).on('SIGTERM', passOn);
    child.on('error', (error) => {
      console.error(`Could not run ${command}: ${error.message}`);
      end(1);
    });
    child.on('exit', (code, signal) => end(code ?? exitCodeOf(signal ?? 'SIGTERM')));
  });
}

/** The exit code of a run that a signal stopped; undefined while no signal has arrived. */
export function interruptionCode(): number | undefined {
  return interrupted === undefined ? undefined : exitCodeOf(interrupted);
}

function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

export interface CommandResult {
  readonly tally: Tally;
  readonly output: string;
}

/** Runs one command as a step, and collects its output, so that several commands can run at the same time. */
export async function collectCommand(command: string, ...args: string[]): Promise<CommandResult> {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-output-'));
  const log = join(folder, 'output.log');
  try {
    const code = await runLogged(log, command, ...args);
    return { tally: tallyOfCode(code), output: existsSync(log) ? readFileSync(log, 'utf8') : '' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface VitestRun {
  readonly tally: Tally;
  /** Undefined if vitest ended without a report. */
  readonly report: VitestReport | undefined;
  readonly output: string;
}

/** Runs vitest and counts each test. Prints the slowest files and the failures. */
export async function vitestStep(...args: string[]): Promise<Tally> {
  const run = await runVitest(args);
  printSummary([run]);
  return run.tally;
}

/** The test projects that need none of the programs in `programs.ts`. */
const TESTS_OF_SOURCES = ['unit*', 'hygiene', 'int', 'int-apart'];
const TESTS_WITH_PROGRAMS = ['e2e', 'firefox', 'webkit', 'int-pooled'];
/** The test files of these projects run one at a time. They mostly wait for processes and disks. */
const SERIAL_TESTS = ['e2e-serial', 'attack'];

/**
 * Starts `TESTS_OF_SOURCES` when `built` has resolved. Returns a step that runs the other tests and waits for all
 * tests. Run this step after `programsStep`.
 *
 * The tests run in three processes, because in a single process the processors would be idle while tests wait for
 * browsers, Postgres, or disks. The output of the two other processes is printed after that of `TESTS_WITH_PROGRAMS`.
 */
export function startAllTests(built: Promise<unknown>): () => Promise<Tally> {
  const ofSources = built.then(() => runVitest(ofProjects(TESTS_OF_SOURCES), true));
  return async () => {
    const serial = runVitest(ofProjects(SERIAL_TESTS), true);
    const runs = [await runVitest(ofProjects(TESTS_WITH_PROGRAMS))];
    for (const run of [ofSources, serial]) {
      const { output } = await run;
      console.log(output);
      runs.push(await run);
    }
    printSummary(runs);
    return sum(runs.map(({ tally }) => tally));
  };
}

function ofProjects(names: readonly string[]): string[] {
  return names.map((name) => `--project=${name}`);
}

/** @param isCollected whether the output is returned instead of printed */
async function runVitest(args: readonly string[], isCollected = false): Promise<VitestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-tests-'));
  const path = join(folder, 'report.json');
  const log = join(folder, 'output.log');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
    const code = await runLogged(isCollected ? log : undefined, 'vitest', 'run', ...reporters, ...args);
    const report = existsSync(path) ? parseReport(readFileSync(path, 'utf8')) : undefined;
    const output = existsSync(log) ? readFileSync(log, 'utf8') : '';
    return { tally: tallyOf(report, code), report, output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function failuresOf({ tally, report }: VitestRun): string[] {
  if (report === undefined) return ['Vitest ended without a report. Its output is above.'];
  const failures = listFailures(report, process.cwd());
  if (tally.failed === 0 || failures.length > 0) return failures;
  // The report does not contain errors outside of tests and files, such as an uncaught exception.
  return ['An error outside of the tests. Search for "Unhandled Errors" above.'];
}

/** The failures come last, because a log may be cut at its start. */
function printSummary(runs: readonly VitestRun[]): void {
  const report = { testResults: runs.flatMap((run) => run.report?.testResults ?? []) };
  console.log('\nSlowest test files:');
  for (const line of listSlowestFiles(report, process.cwd())) console.log(line);
  const failures = runs.flatMap(failuresOf);
  if (failures.length > 0) console.log(`\nFailed tests:\n${failures.join('\n\n')}`);
}

/**
 * Installs Debian packages, but not the packages that they recommend, such as a printer dialog and video codecs. Those
 * would take most of the time.
 */
function installPackages(names: readonly string[]): Promise<number> {
  return runCommand('apt-get', 'install', '-y', '--no-install-recommends', ...names);
}

/**
 * Counts the programs that the tests need. As root on Debian, it first installs the missing programs, including
 * optional ones.
 */
export async function programsStep(): Promise<Tally> {
  const missing = () => testPrograms.filter((program) => findProgram(program) === undefined);
  const packages = missing()
    .filter(({ variable }) => !process.env[variable])
    .flatMap((program) => program.packages);
  if (packages.length > 0 && canInstallPrograms()) {
    process.env['DEBIAN_FRONTEND'] = 'noninteractive';
    await runCommand('apt-get', 'update', '-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=20');
    const code = await installPackages(packages);
    // If this Debian release lacks one of the packages, `apt-get` installs none. Then try them one by one.
    if (code !== 0) for (const name of packages) await installPackages([name]);
  }
  for (const program of testPrograms) console.log(findProgram(program) ?? `${program.title}: missing`);
  for (const { title, howToInstall, variable, isOptional } of missing()) {
    const need = isOptional ? 'The tests run faster with' : 'The tests need';
    console.error(`${need} ${title}. Install it (${howToInstall}) or set ${variable} to its executable.`);
  }
  const failed = missing().filter(({ isOptional }) => !isOptional).length;
  return { passed: testPrograms.filter(({ isOptional }) => !isOptional).length - failed, failed };
}
