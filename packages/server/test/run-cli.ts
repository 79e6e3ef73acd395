import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { byDepth } from '../../core/test/support/test-depth.ts';
import { runCommandLine } from '../src/commands/command-line.ts';
import { type RunCommand, runCommand } from '../src/commands/command-result.ts';
import type { Terminal } from '../src/commands/terminal.ts';

type Environment = Readonly<Record<string, string>>;

/** Runs `affkit` in a child process with these environment variables. */
export async function spawnCli(settings: Environment, ...args: string[]) {
  const script = join(import.meta.dirname, '../src/cli.ts');
  const child = spawn(process.execPath, ['--conditions=@affkit/source', script, ...args], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await exited;
  return { code, stdout, stderr };
}

/** Runs `affkit` in the process of the test, because starting another process takes a second of CPU time. */
export async function runHere(settings: Environment, ...args: string[]) {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const code = await runCommandLine(args, {
    env: settings,
    write: (written) => void stdout.push(written),
    writeError: (written) => void stderr.push(written),
  });
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

/** Runs the code of one command as the command line does. */
export async function captureCommand(command: RunCommand, { json = false } = {}) {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const terminal: Terminal = {
    env: {},
    write: (written) => void stdout.push(written),
    writeError: (written) => void stderr.push(written),
  };
  const code = await runCommand({ json }, terminal, command);
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

export const runCli = byDepth({ short: runHere, long: spawnCli });
