import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { findFreePort } from '../../packages/core/test/support/free-port.ts';
import type { Image } from './container/build-image.ts';
import { startContainer } from './container/start-container.ts';
import { startProgram } from './start-program.ts';

const run = promisify(execFile);
const SECRET = 'a secret of at least 32 characters';

/** The project of a user who has nothing but the packed packages and the examples in the packages' READMEs. */
export interface FreshProject {
  readonly folder: string;
  /** The executable of Node that runs everything. */
  readonly node: string;
}

/** Starts the server in an empty folder by one command, records a sale, and starts it again. */
export async function startServerTwice(project: FreshProject): Promise<void> {
  const empty = join(project.folder, 'empty');
  mkdirSync(empty);
  const env = { PATH: pathOf(project.node), PORT: '0', GEOIP: 'off' };
  const start = () => startProgram(['npx', '--no', '@affkit/server'], { cwd: empty, env });

  const first = start();
  const [, url = ''] = await first.find(/"url":"([^"]+)".*"msg":"listening"/);
  const [, link = '', code] = await first.find(/once and within ten minutes: (\S+)#(\S+)$/m);
  expect(link).toBe(`${url}/app/sign-in`);
  expect((await fetch(link)).headers.get('content-type')).toContain('text/html');
  const { token, programPath } = await recordSale(project, url, { code });
  await first.interrupt();
  expect(readdirSync(empty)).toEqual(['data']);
  expect(readdirSync(join(empty, 'data')).sort()).toEqual(['affkit.db', 'affkit.db.secret']);
  const secret = readFileSync(join(empty, 'data', 'affkit.db.secret'), 'utf8');

  const second = start();
  const [, secondUrl = ''] = await second.find(/"url":"([^"]+)".*"msg":"listening"/);
  const headers = { authorization: `Bearer ${token}` };
  const reply = await fetch(`${secondUrl}${programPath}/commissions`, { headers });
  expect(await reply.json()).toMatchObject({ data: [{ transaction_id: 'payment-1' }] });
  expect(second.stdout.filter((line) => !line.startsWith('{'))).toEqual([]);
  expect(readFileSync(join(empty, 'data', 'affkit.db.secret'), 'utf8')).toBe(secret);
  await second.interrupt();
}

/** Runs the example of core, which mounts Affkit in an Express app, and records a sale. */
export async function embedInExpress(project: FreshProject): Promise<void> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const app = startProgram([project.node, 'core.mts'], {
    cwd: project.folder,
    env: { PORT: String(port), AFFKIT_SECRET: SECRET },
  });
  const [, email, password] = await app.find(/Sign in as (\S+) with (\S+)/);
  const status = () =>
    fetch(`${url}/api/openapi.json`).then(
      (reply) => reply.status,
      () => 0,
    );
  await expect.poll(status, { timeout: 30_000 }).toBe(200);
  await recordSale(project, url, { email, password });
  expect(existsSync(join(project.folder, 'affkit.db'))).toBe(true);
}

/**
 * Runs three containers one after another on the same volume, which is empty at first. A server records a sale, then a
 * migration runs, and then a second server must still have the sale.
 */
export async function runContainers(project: FreshProject, image: Image): Promise<void> {
  const volume = join(project.folder, 'volume');
  mkdirSync(volume, { mode: 0o700 });
  // Docker gives a new volume the owner that the folder has in the image. Do the same here.
  const [uid = 0, gid = 0] = image.user.split(':').map(Number);
  chownSync(volume, uid, gid);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const run = (args?: readonly string[]) =>
    startContainer(image, {
      mounts: { '/data': volume },
      env: { PORT: String(port) },
      ...(args && { args }),
    });

  const first = run();
  const [, code] = await first.find(/once and within ten minutes: \S+#(\S+)$/m);
  await first.exec(image.healthcheck);
  expect((await first.exec(['id', '--user'])).stdout).toBe('1000\n');
  for (const path of ['/app/file', '/tmp/file', '/file']) {
    await expect(first.exec(['touch', path])).rejects.toThrow('Read-only file system');
  }
  const { token, programPath } = await recordSale(project, url, { code });
  const status = await first.exec(['affkit', 'status', '--json']);
  expect(JSON.parse(status.stdout)).toMatchObject({ data: { programs: [{ name: 'Shop' }] } });
  expect(await first.stop('SIGTERM')).toBe(0);
  expect(readdirSync(volume).sort()).toEqual(['affkit.db', 'affkit.db.secret']);

  const migration = run(['migrate', '--json']);
  expect(await migration.ended).toBe(0);
  expect(JSON.parse(migration.stdout.join('\n'))).toMatchObject({ applied: [] });

  const second = run();
  await second.find(/"msg":"listening"/);
  const headers = { authorization: `Bearer ${token}` };
  const reply = await fetch(`${url}${programPath}/commissions`, { headers });
  expect(await reply.json()).toMatchObject({ data: [{ transaction_id: 'payment-1' }] });
  expect((await fetch(`${url}/app`)).headers.get('content-type')).toContain('text/html');
  expect(await second.stop('SIGTERM')).toBe(0);
}

/** The `PATH` on which npm and npx find this version of Node first. */
export function pathOf(node: string): string {
  return [dirname(node), process.env['PATH']].join(delimiter);
}

/** Runs the example of the SDK against a server, and expects one sale with its commission. */
async function recordSale(
  project: FreshProject,
  url: string,
  credentials: object,
): Promise<{ token: string; programPath: string }> {
  const owner = await signIn(url, credentials);
  const { env, programPath } = await makeShop(url, owner);
  await run(project.node, ['node.mts'], { cwd: project.folder, env });
  const { data } = await owner.call('GET', `${programPath}/commissions`);
  expect(data).toMatchObject([{ transaction_id: 'payment-1' }]);
  return { token: owner.token, programPath };
}

/** Calls the API of a server as its owner. */
interface Owner {
  readonly token: string;
  call(method: string, path: string, body?: object): Promise<{ readonly [field: string]: unknown }>;
}

/** @param credentials a one-time code, or email and password */
async function signIn(url: string, credentials: object): Promise<Owner> {
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

/** Creates a program with the partner `ann`, and sends a click. @returns the settings of the shop's backend */
async function makeShop(
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
