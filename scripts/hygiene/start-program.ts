import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished, vi } from 'vitest';

/** A program in a process group of its own. */
export interface Program {
  readonly child: ChildProcess;
  readonly stdout: readonly string[];
  /** Resolves when the output has a line with a match. Rejects if the program ends first. */
  find(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends SIGINT to the whole group, as Ctrl-C in a terminal does, and waits until the program has ended. */
  interrupt(): Promise<void>;
}

/**
 * Starts a program with no environment variables but `PATH`, `HOME`, Node's compile cache, and `env`. It is killed
 * after the test.
 */
export function startProgram(
  [command, ...args]: readonly [string, ...string[]],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Program {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const stdout: string[] = [];
  const stderr: string[] = [];
  createInterface(child.stdout).on('line', (line) => stdout.push(line));
  createInterface(child.stderr).on('line', (line) => stderr.push(line));
  const closed = once(child, 'close');
  let hasClosed = false;
  closed.then(
    () => {
      hasClosed = true;
    },
    () => {},
  );
  const signalGroup = (signal: NodeJS.Signals) => {
    if (!hasClosed && child.pid !== undefined) process.kill(-child.pid, signal);
  };
  onTestFinished(() => signalGroup('SIGKILL'));
  return {
    child,
    stdout,
    find: (pattern) =>
      vi.waitFor(
        () => {
          const match = pattern.exec(stdout.join('\n'));
          if (match) return match;
          throw new Error(`${pattern} is not in the output:\n${[...stdout, ...stderr].join('\n')}`);
        },
        { timeout: 60_000, interval: 20 },
      ),
    interrupt: async () => {
      signalGroup('SIGINT');
      await closed;
    },
  };
}
