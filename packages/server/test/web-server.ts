import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { onTestFinished, vi } from 'vitest';

interface WebServer {
  /** The environment variable that contains the path of the executable. */
  readonly variable: 'NGINX_PATH' | 'CADDY_PATH';
  readonly args: readonly string[];
  readonly config: string;
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts nginx or Caddy with the file `config` in the folder. It is killed after the test. */
export function startWebServer({ variable, args, config, folder, env }: WebServer): void {
  const command = process.env[variable];
  if (command === undefined) throw new Error(`${variable} must be the path of an executable`);
  writeFileSync(join(folder, 'config'), config);
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, ...env },
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  onTestFinished((context) => {
    child.kill('SIGKILL');
    if (context.task.result?.state === 'fail') console.error(stderr);
  });
}

/** A response, with its body as text. */
export interface Reply {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends HTTPS requests to a port of this machine. The TLS server name and the `Host` header are `host`. */
export function clientOf(host: string, port: number) {
  return (path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const options = {
        method,
        port,
        path,
        host: '127.0.0.1',
        servername: host,
        rejectUnauthorized: false,
        agent: false,
        headers: { host, ...headers },
      };
      const sent = request(options, (response) => {
        buffer(response).then(
          (bytes) =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: bytes.toString('utf8'),
            }),
          reject,
        );
      });
      sent.on('error', reject).end(body);
    });
}

/** Waits until the web server forwards requests. */
export async function waitUntilReady(send: ReturnType<typeof clientOf>): Promise<void> {
  await vi.waitFor(
    async () => {
      const { status } = await send('/readyz');
      if (status !== 200) throw new Error(`/readyz returned ${status}`);
    },
    { timeout: 60_000, interval: 50 },
  );
}
