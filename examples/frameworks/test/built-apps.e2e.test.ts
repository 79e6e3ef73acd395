import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runNpm } from '../../../packages/node/test/packed-project.ts';
import { type App, buildApp, installAffkit, startApp } from './app.ts';
import { BLOG, signIn } from './seed.ts';
import { readText, sendClick, sendLarge, sendWithoutBody, useApp } from './use-app.ts';

const run = promisify(execFile);
/** Installing and building an app takes up to a minute, and more on a busy machine. */
const TIMEOUT = { timeout: 600_000 };

const SHARED = ['affiliates.ts', 'affkit.ts'];
const sharedIn = (folder: string) => Object.fromEntries(SHARED.map((path) => [path, `${folder}/${path}`]));

/** Uses and stops an app whose framework handles SIGTERM. */
async function useAndStop(app: App): Promise<void> {
  await useApp(app);
  expect(await app.stop()).toBe(0);
}

test(
  'SvelteKit: the app from the guide builds, and its server handles Affkit’s routes before SvelteKit',
  TIMEOUT,
  async () => {
    const project = await buildApp('sveltekit', sharedIn('src/lib/server'));
    await useAndStop(await startApp(project, [process.execPath, 'server.js']));

    // SvelteKit's own server rejects some requests before they reach the route.
    const routed = await startApp(project, [process.execPath, 'build']);
    const forbidden = { status: 403, text: 'Cross-site POST form submissions are forbidden' };
    expect(await readText(await sendClick(routed, 'https://other.example'))).toEqual(forbidden);
    expect(await readText(await sendClick(routed, routed.origin))).toEqual(forbidden);
    expect((await sendClick(routed, BLOG)).status).toBe(200);
    expect((await sendLarge(routed)).status).toBe(413);
    const { token } = await signIn(fetch, `${routed.origin}/affiliates`);
    const path = `/api/advertiser/affiliate-programs/${routed.programId}/regenerate-api-token`;
    expect(await sendWithoutBody(routed, path, token)).toEqual(forbidden);
    const typed = await sendWithoutBody(routed, path, token, { 'content-type': 'application/json' });
    expect(typed.status).toBe(200);

    const roomy = await startApp(project, [process.execPath, 'build'], { BODY_SIZE_LIMIT: '5M' });
    expect((await sendLarge(roomy)).status).toBe(200);
  },
);

test('React Router: the app from the guide builds and records a chain of events', TIMEOUT, async () => {
  const project = await buildApp('react-router', sharedIn('app/lib'));
  const serve = 'node_modules/@react-router/serve/dist/cli.js';
  await useApp(await startApp(project, [process.execPath, serve, 'build/server/index.js']));
});

test(
  'Next.js: npm installs the packages, and the app from the guide builds and records a chain of events',
  TIMEOUT,
  async () => {
    const project = await buildApp('nextjs', sharedIn('lib'), installAffkit);
    const next = 'node_modules/next/dist/bin/next';
    await useApp(await startApp(project, [process.execPath, next, 'start', '--hostname', '127.0.0.1']));
  },
);

test(
  'Nuxt and Nitro 2: with each of them, the app from the guide builds and records a chain of events',
  TIMEOUT,
  async () => {
    const project = await buildApp('nuxt', sharedIn('server/utils'));
    await useApp(await startApp(project, [process.execPath, '.output/server/index.mjs']));

    rmSync(join(project, '.output'), { recursive: true });
    await runNpm(project, 'run', 'build:nitro');
    await useApp(await startApp(project, [process.execPath, '.output/server/index.mjs']));
  },
);

test('Nitro 3: the app from the guide builds and records a chain of events', TIMEOUT, async () => {
  const project = await buildApp('nitro', sharedIn('server/utils'));
  await useApp(await startApp(project, [process.execPath, '.output/server/index.mjs']));
});

test('AdonisJS: the app from the guide builds and records a chain of events', TIMEOUT, async () => {
  const project = await buildApp('adonisjs', { 'affkit.ts': 'app/services/affkit.ts' });
  const env = { NODE_ENV: 'production', APP_KEY: 'key-of-the-app-of-32-characters-' };
  await useAndStop(await startApp(project, [process.execPath, 'build/bin/server.js'], env));
});

test(
  'Elysia: the app from the guide compiles and records a chain of events on Node and on Bun',
  TIMEOUT,
  async () => {
    const project = await buildApp('elysia', { 'affkit.ts': 'affkit.ts' });
    await useAndStop(await startApp(project, [process.execPath, 'server.ts']));

    const bun = join(project, 'node_modules/.bin/bun');
    const onNode = readFileSync(join(project, 'server.ts'), 'utf8');
    const onBun = onNode.replace(/^import .*@elysiajs\/node.*\n/m, '').replace('{ adapter: node() }', '');
    expect(onBun).not.toContain('node()');
    writeFileSync(join(project, 'bun.ts'), onBun);
    const code = "import { undiciTransport } from '@affkit/node/undici'; undiciTransport();";
    await expect(run(bun, ['--eval', code], { cwd: project })).rejects.toMatchObject({
      stderr: expect.stringContaining('In Bun, omit the option transport, so that the client uses fetch'),
    });
    await useAndStop(await startApp(project, [bun, 'bun.ts']));
  },
);
