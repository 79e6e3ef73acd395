import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { findFreePort } from '../../core/test/support/free-port.ts';
import { listen } from '../../core/test/support/listen.ts';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { createDatabase } from '../../core/test/support/postgres-server.ts';
import { runServer, type ServerProcess, startServerProcess } from '../test/server-process.ts';

const ADMIN = { ADMIN_EMAIL: 'owner@shop.example', ADMIN_PASSWORD: 'correct horse battery' };

const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const logIn = (server: ServerProcess, password = ADMIN.ADMIN_PASSWORD) =>
  server.send('/api/auth/login', json({ email: ADMIN.ADMIN_EMAIL, password }));

/** The server for all tests that do not need their own server. The last of these tests stops this server. */
let server: ServerProcess;
beforeAll(() => {
  server = startServerProcess({
    ...ADMIN,
    METRICS_TOKEN: 's3cret',
    PUBLIC_RATE_LIMIT: '0',
    DASHBOARD: 'off',
  });
  return () => void server.child.kill('SIGKILL');
});

test('logs its address as JSON, serves requests there, and serves no dashboard if DASHBOARD is off', async () => {
  const port = await server.listening;
  const line: unknown = JSON.parse(server.stdout.at(-1) ?? '');
  expect(line).toMatchObject({
    level: 30,
    msg: 'listening',
    port,
    url: `http://127.0.0.1:${port}`,
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    database: 'sqlite::memory:',
  });
  expect((await server.send('/healthz')).status).toBe(200);
  expect((await server.send('/readyz')).status).toBe(200);
  const metrics = await server.send('/metrics', { headers: { authorization: 'Bearer s3cret' } });
  expect(await metrics.text()).toContain('affkit_http_requests_total');

  const home = await server.send('/', { redirect: 'manual', headers: { accept: 'text/html' } });
  expect(home.status).toBe(200);
  expect(home.headers.get('content-type')).toContain('text/html');
  for (const path of ['/app', '/app/', '/app/sign-in', '/app/assets/x.js']) {
    const reply = await server.send(path, { redirect: 'manual' });
    expect([path, reply.status, await reply.json()]).toMatchObject([path, 404, { code: 'route_not_found' }]);
  }
  for (const path of ['/docs', '/js/affkit.js']) expect((await server.send(path)).status).toBe(200);
  const document = (await (await server.send('/api/openapi.json')).json()) as { paths: object };
  expect(Object.keys(document.paths)).not.toContain('/app');
  expect(Object.keys(document.paths)).toContain('/api/auth/password-reset');
});

test('logs its address at every log level', async () => {
  const server = runServer({ ...ADMIN, LOG_LEVEL: 'silent' });
  await server.listening;
  expect(server.stdout).toHaveLength(1);
});

test('is not ready before the first owner can sign in', async () => {
  const port = await findFreePort();
  const server = runServer({ ...ADMIN, PORT: String(port) });
  const url = `http://127.0.0.1:${port}`;
  const readiness = () =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status,
      () => 0,
    );
  while ((await readiness()) !== 200) await sleep(2);
  const login = json({ email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD });
  expect((await fetch(`${url}/api/auth/login`, login)).status).toBe(200);
  await server.listening;
});

test('exits with code 1 and one line that names the variable for an invalid setting', async () => {
  const server = runServer({ PORT: 'eighty' });
  expect(await server.exited).toBe(1);
  expect(server.stdout).toEqual([]);
  expect(server.stderr).toEqual(['PORT must be an integer between 0 and 65535, got "eighty".']);
});

test.each([
  [['--help'], 0],
  [['--port', '8080'], 2],
  [['start'], 2],
])('with the arguments %j, prints that it accepts none and exits with code %i', async (args, code) => {
  const server = runServer({}, { args });
  expect(await server.exited).toBe(code);
  const usage = [
    expect.stringMatching(/^affkit-server accepts no arguments\. Configure it .*operating\.md\.$/),
  ];
  expect([server.stdout, server.stderr]).toEqual(code === 0 ? [usage, []] : [[], usage]);
});

test('prints its version', async () => {
  const server = runServer({}, { args: ['--version'] });
  expect(await server.exited).toBe(0);
  expect(server.stdout).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+/)]);
});

test('exits with code 1 and one line that names a misspelled setting', async () => {
  const server = runServer({ DATABASEURL: 'postgres://affkit:hidden@127.0.0.1:1/affkit', DATABASE_URL: '' });
  expect(await server.exited).toBe(1);
  expect(server.stderr).toEqual([
    'DATABASEURL is not a setting. Did you mean DATABASE_URL? Rename it, or set DATABASE_URL too.',
  ]);
});

test('exits with code 1 and one line that names PORT when the port is in use', async () => {
  const { port } = new URL(await listen(() => {}));
  const folder = makeTempFolder();
  const server = runServer({ PORT: port, DATABASE_URL: `sqlite:${folder}/affkit.db` });
  expect(await server.exited).toBe(1);
  expect(server.stderr).toEqual([
    `PORT ${port} is in use on 127.0.0.1. Stop the process that listens there or set another port.`,
  ]);
  expect(server.stdout).toEqual([]);
});

test('exits with code 1 and one line that names DATABASE_URL when Postgres is unreachable', async () => {
  const server = runServer({
    DATABASE_URL: 'postgres://affkit:hidden@127.0.0.1:1/affkit',
    AFFKIT_SECRET: 's'.repeat(32),
  });
  expect(await server.exited).toBe(1);
  expect(server.stderr).toEqual([expect.stringMatching(/^DATABASE_URL can't be used: .*ECONNREFUSED/)]);
  expect(server.stderr.join()).not.toContain('hidden');
});

test('exits with code 1 and one line that names DATABASE_URL when the file is not a database', async () => {
  const folder = makeTempFolder();
  writeFileSync(
    `${folder}/affkit.db`,
    'not a database, but long enough to contain a database header'.repeat(20),
  );
  const server = runServer({ DATABASE_URL: `sqlite:${folder}/affkit.db` });
  expect(await server.exited).toBe(1);
  expect(server.stderr).toEqual([expect.stringMatching(/^DATABASE_URL can't be used: /)]);
});

test('prints a password and a sign-in link on the first start only; later starts keep data, secret and sessions', async () => {
  const folder = makeTempFolder();
  const env = { DATABASE_URL: `sqlite:${folder}/data/affkit.db` };
  const first = runServer(env);
  await first.listening;
  const [, email, password] = /sign in as (\S+) with the password (\S+) /.exec(first.stdout.join('\n')) ?? [];
  expect(first.stdout.join('\n')).toMatch(/^First start: open http:\/\/\S+:\d+\/app and sign in as /m);
  const [, code] =
    /once and within ten minutes: http:\/\/\S+\/app\/sign-in#(\S+)$/m.exec(first.stdout.join('\n')) ?? [];
  const byLink = () => first.send('/api/auth/login', json({ code }));
  expect([(await byLink()).status, (await byLink()).status]).toEqual([200, 401]);
  const login = await first.send('/api/auth/login', json({ email, password }));
  const { token } = (await login.json()) as { token: string };
  expect(login.status).toBe(200);
  first.child.kill('SIGTERM');
  expect(await first.exited).toBe(0);
  expect(statSync(`${folder}/data/affkit.db.secret`).mode & 0o777).toBe(0o600);

  const second = runServer({ ...env, ...ADMIN });
  await second.listening;
  expect(second.stdout).toHaveLength(1);
  const me = await second.send('/api/auth/me', { headers: { authorization: `Bearer ${token}` } });
  expect(await me.json()).toMatchObject({ success: true, user: { email } });
  expect((await logIn(second)).status).toBe(401);
});

test('keeps users and sessions on Postgres after a restart', async () => {
  const env = {
    ...ADMIN,
    DATABASE_URL: await createDatabase(inject('postgresUrl')),
    AFFKIT_SECRET: 's'.repeat(32),
  };
  const first = runServer(env);
  const { token } = (await (await logIn(first)).json()) as { token: string };
  expect((await first.send('/readyz')).status).toBe(200);
  first.child.kill('SIGTERM');
  expect(await first.exited).toBe(0);
  const second = runServer(env);
  const me = await second.send('/api/auth/me', { headers: { authorization: `Bearer ${token}` } });
  expect(await me.json()).toMatchObject({ user: { email: ADMIN.ADMIN_EMAIL } });
});

test('creates the first owner from ADMIN_EMAIL and ADMIN_PASSWORD', async () => {
  expect((await logIn(server)).status).toBe(200);
  expect((await logIn(server, 'wrong')).status).toBe(401);
  expect(server.stdout).toHaveLength(1);
});

test('returns rejections with the usual error body', async () => {
  const reject = async (path: string, init?: RequestInit) => {
    const response = await server.send(path, init);
    const body: unknown = await response.json();
    const requestId = response.headers.get('x-request-id');
    expect(body).toMatchObject({ request_id: requestId });
    return { status: response.status, retry: response.headers.get('x-should-retry'), body };
  };
  const click = '/api/v1/track/click';
  const error = (status: number, code: string, text: string) => ({
    status,
    retry: 'false',
    body: { error: text, code, request_id: expect.any(String) },
  });
  expect(await reject('/api/v1/nothing')).toEqual(error(404, 'route_not_found', 'Not found'));
  expect(await reject(click, { method: 'PUT' })).toEqual(
    error(405, 'method_not_allowed', 'Method not allowed'),
  );
  expect(await reject(click, { method: 'POST', body: '{' })).toEqual(
    error(400, 'invalid_json', 'Invalid JSON body'),
  );
  expect(await reject(click, { method: 'POST', body: 'x'.repeat(65_537) })).toEqual(
    error(413, 'body_too_large', 'Request body too large'),
  );
  expect(await reject(click, json({}))).toEqual(
    error(400, 'affiliate_url_required', 'affiliate_url is required'),
  );
});

test('returns 429 with Retry-After and CORS headers above the rate limit', async () => {
  const server = runServer({ ...ADMIN, PUBLIC_RATE_LIMIT: '1' });
  const click = () =>
    server.send('/api/v1/track/click', {
      method: 'POST',
      headers: { origin: 'https://shop.example' },
      body: '{}',
    });
  const statuses = new Set<number>();
  let limited: Response | undefined;
  // The limit admits a burst of two requests and one more per second, so twelve concurrent requests exceed the
  // limit.
  for (const response of await Promise.all(Array.from({ length: 12 }, click))) {
    statuses.add(response.status);
    if (response.status === 429) limited = response;
  }
  expect(statuses).toEqual(new Set([400, 429]));
  expect(Object.fromEntries(limited?.headers ?? [])).toMatchObject({
    'retry-after': '1',
    'x-should-retry': 'true',
    'access-control-allow-origin': 'https://shop.example',
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'Retry-After, X-Request-Id',
    vary: 'Origin',
  });
  expect(await limited?.json()).toMatchObject({ code: 'rate_limited', error: 'Too many requests' });
});

test('without TRUST_PROXY, warns once about a proxy, and applies one rate limit to all its visitors', async () => {
  const server = runServer({ ...ADMIN, PUBLIC_RATE_LIMIT: '1' });
  const click = (index: number) =>
    server.send('/api/v1/track/click', {
      method: 'POST',
      headers: { 'x-forwarded-for': `203.0.113.${index}` },
      body: '{}',
    });
  const responses = await Promise.all(Array.from({ length: 100 }, (_, index) => click(index)));
  const admitted = responses.filter(({ status }) => status === 400).length;
  expect(admitted).toBeGreaterThanOrEqual(20);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(100 - admitted);
  expect(admitted).toBeLessThan(100);
  expect(server.stdout.filter((line) => line.includes('TRUST_PROXY'))).toHaveLength(1);
});

test('finishes pending requests and accepts no new ones after SIGTERM', async () => {
  const server = runServer(ADMIN);
  const port = await server.listening;
  const body = JSON.stringify({ email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD });
  const pending = httpRequest({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/api/auth/login',
    headers: { 'content-length': body.length, expect: '100-continue' },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    pending.on('error', reject).on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
  });
  // After `100 Continue`, the server has received the headers and waits for the body.
  await new Promise<void>((resolve) => {
    pending.on('continue', resolve);
    pending.flushHeaders();
  });
  server.child.kill('SIGTERM');
  await waitUntilClosed(port);
  pending.end(body);
  expect(await answered).toBe(200);
  expect(await server.exited).toBe(0);
});

test('exits immediately on a second signal, even with a pending request', async () => {
  const server = runServer(ADMIN);
  const port = await server.listening;
  const hanging = connect(port, '127.0.0.1');
  onTestFinished(() => void hanging.destroy());
  hanging.on('error', () => {});
  await new Promise<void>((resolve) => {
    hanging.once('data', () => resolve());
    hanging.write(
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n',
    );
  });
  server.child.kill('SIGTERM');
  await waitUntilClosed(port);
  // The server ignores a second signal within 100 ms, so the test repeats the signal.
  const again = setInterval(() => server.child.kill('SIGTERM'), 50);
  onTestFinished(() => clearInterval(again));
  expect(await server.exited).toBe(143);
});

test('accepts a token of the external identity provider as a session', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const keys = JSON.stringify({
    keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256' }],
  });
  const provider = await listen((_request, response) => response.end(keys));
  const server = runServer({
    ...ADMIN,
    JWT_JWKS_URL: `${provider}/keys`,
    JWT_ISSUER: 'https://id.example',
    JWT_AUDIENCE: 'affkit',
  });
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: 'https://id.example',
    aud: 'affkit',
    sub: 'one',
    iat: now,
    exp: now + 3600,
    email: ADMIN.ADMIN_EMAIL,
    email_verified: true,
  };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', kid: 'one' })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), privateKey).toString('base64url');
  const me = (token: string) =>
    server.send('/api/auth/me', { headers: { authorization: `Bearer ${token}` } });
  const reply = await me(`${signed}.${signature}`);
  expect(reply.status).toBe(200);
  expect(await reply.json()).toMatchObject({ user: { email: ADMIN.ADMIN_EMAIL } });
  expect((await me(`${signed}.AAAA`)).status).toBe(401);
});

test('serves the built tracker', async () => {
  const response = await server.send('/js/affkit.js');
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/javascript; charset=utf-8',
  ]);
  expect(await response.text()).toContain('service_click_id');
  const { tracker, linker } = JSON.parse(server.stdout[0] ?? '') as Record<string, { path: string }>;
  expect(await (await server.send(tracker?.path ?? '')).text()).toContain('service_click_id');
  expect(await (await server.send(linker?.path ?? '')).text()).toContain('formaction');
  expect(existsSync(join(import.meta.dirname, '../../tracker/dist/affkit.js'))).toBe(true);
});

test('exits with code 0 after SIGINT', async () => {
  await server.listening;
  server.child.kill('SIGINT');
  expect(await server.exited).toBe(0);
});

/** Resolves when the port no longer accepts connections. */
async function waitUntilClosed(port: number): Promise<void> {
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const probe = connect(port, '127.0.0.1');
      probe.once('connect', () => {
        probe.destroy();
        resolve(true);
      });
      probe.once('error', () => resolve(false));
    });
    if (!isOpen) return;
  }
}
