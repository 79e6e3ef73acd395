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

/** Starts a program with no environment variables but `PATH`, `HOME`, and `env`. It is killed after the test. */
export function startProgram(
  [command, ...args]: readonly [string, ...string[]],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Program {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
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

/** Calls the API of a server as its owner. */
export interface Owner {
  readonly token: string;
  call(method: string, path: string, body?: object): Promise<{ readonly [field: string]: unknown }>;
}

/** @param credentials a one-time code, or email and password */
export async function signIn(url: string, credentials: object): Promise<Owner> {
  const call = async (method: string, path: string, body?: object, token?: string) => {
    const reply = await fetch(url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return JSON.parse(text);
  };
  const { token } = await call('POST', '/api/auth/login', credentials);
  return { token, call: (method, path, body) => call(method, path, body, token) };
}

/** Creates a program with the partner `ann`, and sends a click. @returns what the shop's backend knows */
export async function makeShop(
  url: string,
  owner: Owner,
): Promise<{ env: Record<string, string>; programPath: string }> {
  const { data } = await owner.call('POST', '/api/advertiser/affiliate-programs', {
    name: 'Shop',
    site_url: 'https://shop.example',
    commission: { type: 'percent', rate: 20 },
  });
  const { id, api_token: token } = data as { id: number; api_token: string };
  const programPath = `/api/advertiser/affiliate-programs/${id}`;
  await owner.call('POST', `${programPath}/partners`, {
    name: 'Ann',
    email: 'ann@partner.example',
    code: 'ann',
  });
  const click = await owner.call('POST', '/api/v1/track/click', {
    affiliate_url: 'https://shop.example/?aff=ann',
  });
  const env = { AFFKIT_BASE_URL: url, AFFKIT_TOKEN: token, CLICK_ID: String(click['click_id']) };
  return { env, programPath };
}
