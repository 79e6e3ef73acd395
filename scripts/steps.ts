import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { canInstallChromium, findChromium } from './chromium.ts';
import { type Tally, tallyOf } from './tally.ts';

let interrupted: NodeJS.Signals | undefined;

/** Runs a command in the root folder, output and all; resolves to its exit code. Signals are passed on to it. */
export function runCommand(command: string, ...args: string[]): Promise<number> {
  if (interrupted !== undefined) return Promise.resolve(exitCodeOf(interrupted));
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: join(import.meta.dirname, '..'),
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    const passOn = (signal: NodeJS.Signals) => {
      interrupted = signal;
      child.kill(signal);
    };
    const end = (code: number) => {
      process.off('SIGINT', passOn).off('SIGTERM', passOn);
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

/** The signal that stopped the run, as the exit code a shell gives it; undefined while nothing did. */
export function interruptionCode(): number | undefined {
  return interrupted === undefined ? undefined : exitCodeOf(interrupted);
}

function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** A step that is one command: it passes or fails as a whole. */
export async function commandStep(command: string, ...args: string[]): Promise<Tally> {
  const code = await runCommand(command, ...args);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** A step that counts each test. */
export async function vitestStep(...args: string[]): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-tests-'));
  const report = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const code = await runCommand('vitest', 'run', ...reporters, ...args);
    return tallyOf(existsSync(report) ? readFileSync(report, 'utf8') : undefined, code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Passes if there is a browser for the tests; installs Debian's where it may. */
export async function browserStep(): Promise<Tally> {
  if (findChromium() === undefined && !process.env['CHROMIUM_PATH'] && canInstallChromium()) {
    process.env['DEBIAN_FRONTEND'] = 'noninteractive';
    await runCommand('apt-get', 'update');
    await runCommand('apt-get', 'install', '-y', 'chromium');
  }
  const browser = findChromium();
  if (browser !== undefined) {
    console.log(browser);
    return { passed: 1, failed: 0 };
  }
  console.error(
    'The browser tests need Chromium or Chrome. Install it (Debian: apt-get install chromium; Ubuntu, macOS, ' +
      'Windows: Google Chrome) or set CHROMIUM_PATH to its executable.',
  );
  return { passed: 0, failed: 1 };
}
