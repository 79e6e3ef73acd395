import { createServer } from 'node:http';
import { createAffkit } from '@affkit/core';
import { sqliteEngine } from '@affkit/core/sqlite';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeServer, listenOnLoopback } from '../../core/test/support/loopback-server.ts';
import { TRACKER } from '../test/start-app.ts';
import { createApp } from './app.ts';
import { describeRoutes } from './route-descriptions.ts';
import { prepareTracker } from './tracker-script.ts';

const tracker = prepareTracker(TRACKER);
const routes = describeRoutes({ tracker, hasDashboard: false });
const affkit = createAffkit({
  engine: sqliteEngine({ path: ':memory:' }),
  secret: 'a-secret-of-at-least-32-characters',
  otherRoutes: routes,
});
const server = createServer(
  createApp({
    affkit,
    config: { trustProxy: false, metricsToken: 's3cret' },
    log: pino({ level: 'silent' }),
    tracker,
    isReady: async () => true,
  }),
);
let base: string;

beforeAll(async () => {
  await affkit.migrate();
  base = await listenOnLoopback(server);
});
afterAll(async () => {
  await closeServer(server);
  await affkit.close();
});

test('responses of the server routes match their description', async () => {
  for (const { path, replies } of routes) {
    const response = await fetch(base + path, { headers: { authorization: 'Bearer s3cret' } });
    const reply = replies[200];
    const type = response.headers.get('content-type')?.split(';')[0];
    expect({ path, status: response.status, type }).toEqual({
      path,
      status: 200,
      type: reply?.mediaType ?? 'application/json',
    });
    if (reply?.schema) expect(reply.schema.safeParse(await response.json()).success).toBe(true);
  }
});

test('the OpenAPI document contains the routes of Affkit and of the server', async () => {
  const document = (await (await fetch(`${base}/api/openapi.json`)).json()) as {
    paths: Record<string, unknown>;
  };
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining(['/api/v1/track/click', '/docs', ...routes.map(({ path }) => path)]),
  );
});

test('the documentation page keeps its own content security policy', async () => {
  const response = await fetch(`${base}/docs`);
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await response.text()).toContain('<a href="#readHealth">');
});
