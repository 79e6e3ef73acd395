import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** A process of the demo, as `npm start` runs it after the build. */
export interface DemoProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<number | NodeJS.Signals | null>;
  /** The output to stdout and stderr. */
  text(): string;
  /** The link of each partner, once the demo is up. Rejects if the demo exits first. */
  readonly links: Promise<ReadonlyMap<string, string>>;
}

const script = join(import.meta.dirname, '..', 'src', 'start.ts');

/** Runs the demo until the test ends. The demo uses free ports, stores its data in `folder`, and has no history. */
export function runDemo(folder: string, env: Readonly<Record<string, string>> = {}): DemoProcess {
  const demo = startDemo(folder, env);
  onTestFinished(() => void demo.child.kill('SIGKILL'));
  return demo;
}

/** Runs the demo like `runDemo`. The caller must stop it. */
export function startDemo(folder: string, env: Readonly<Record<string, string>> = {}): DemoProcess {
  const child = spawn(process.execPath, [script], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATA_DIR: folder,
      PORT: '0',
      SHOP_PORT: '0',
      DEMO_HISTORY: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const exited = once(child, 'close').then(([code, signal]) => code ?? signal);
  const links = new Promise<ReadonlyMap<string, string>>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line);
      if (line.startsWith('Ctrl-C')) resolve(linksIn(lines));
    });
    exited.then(() => reject(new Error(`The demo exited: ${lines.join('\n')}`)), reject);
  });
  // Tests that expect the demo to exit do not await the links.
  links.catch(() => {});
  createInterface(child.stderr).on('line', (line) => lines.push(line));
  return { child, exited, links, text: () => lines.join('\n') };
}

function linksIn(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.flatMap((line): [string, string][] => {
      const [, name = '', link = ''] = /^ {2}(\S.*?) {2,}(http\S+\?aff=\S+)$/.exec(line) ?? [];
      return link === '' ? [] : [[name, link]];
    }),
  );
}
