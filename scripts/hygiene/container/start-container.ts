import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { onTestFinished, vi } from 'vitest';
import type { Image } from './build-image.ts';

const run = promisify(execFile);

export interface Container {
  readonly stdout: readonly string[];
  /** Resolves when the output has a line with a match. Rejects if the process ends first. */
  find(pattern: RegExp): Promise<RegExpExecArray>;
  /** Runs a command in the container, as `docker exec` does. Rejects if it fails. */
  exec(words: readonly string[]): Promise<{ stdout: string; stderr: string }>;
  /** Resolves to the exit code of the first process. */
  readonly ended: Promise<number | null>;
  /** Sends a signal to the first process. Resolves to its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

export interface ContainerOptions {
  /** The folders of this machine to mount. The key is the path in the container. */
  readonly mounts?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** @default the CMD of the image */
  readonly args?: readonly string[];
}

/**
 * Runs a container of an image, as `docker run --read-only --cap-drop=ALL --security-opt=no-new-privileges
 * --network=host` does. The command runs as the user of the image. It has its own PID and mount namespaces, and is
 * PID 1. It is killed after the test.
 */
export function startContainer(image: Image, options: ContainerOptions = {}): Container {
  const { mounts = {}, env = {}, args = image.cmd } = options;
  const script = [
    'mount --bind "$0" "$0"',
    ...Object.entries(mounts).map(([path, folder]) => `mount --bind "${folder}" "$0${path}"`),
    'mount -t proc proc "$0/proc"',
    'mount -t tmpfs -o size=64k tmpfs "$0/dev"',
    ...['null', 'zero', 'urandom', 'random'].map(
      (device) => `touch "$0/dev/${device}"; mount --bind /dev/${device} "$0/dev/${device}"`,
    ),
    'mount -o remount,bind,ro "$0"',
    // After this `chroot`, `nsenter --root` starts commands in the same root.
    'exec chroot "$0" "$@"',
  ].join('\n');
  const [user = '', group = ''] = image.user.split(':');
  const identity = [`--reuid=${user}`, `--regid=${group}`, '--clear-groups'];
  const dropped = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];
  const variables = Object.entries({ ...image.env, ...env }).map(([name, value]) => `${name}=${value}`);
  const inside = ['/usr/bin/setpriv', ...identity, ...dropped, '/usr/bin/env', '-i'];
  const words = [`--chdir=${image.workdir}`, ...variables, ...image.entrypoint, ...args];
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child'];
  const child = spawn(
    'unshare',
    [...namespaces, 'sh', '-e', '-c', script, image.folder, ...inside, ...words],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => output.push(line));
  }
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null);
  return {
    stdout: output,
    ended,
    find: (pattern) =>
      vi.waitFor(
        () => {
          const match = pattern.exec(output.join('\n'));
          if (match) return match;
          throw new Error(`${pattern} is not in the output:\n${output.join('\n')}`);
        },
        { timeout: 60_000, interval: 50 },
      ),
    exec: (command) => {
      const first = firstProcessOf(child);
      const enter = ['--target', `${first}`, '--mount', '--pid', '--root', '--wdns=/'];
      return run('nsenter', [...enter, ...inside, ...words.slice(0, 1), ...variables, ...command]);
    },
    stop: async (signal) => {
      if (child.exitCode === null) process.kill(firstProcessOf(child), signal);
      return ended;
    },
  };
}

/** The first process of the namespace: the only child of `unshare`. */
function firstProcessOf({ pid }: ChildProcess): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  if (!/^\d+$/.test(children)) throw new Error('The container has ended');
  return Number(children);
}
