import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../../core/test/support/free-port.ts';
import { installPacked, makeProject, runNpm } from '../../node/test/packed-project.ts';
import { SDK_RESULT, startRuntimeServer } from '../../node/test/runtime-server.ts';
import { createTestAffkit, type TestAffkit } from '../src/index.ts';
import { serveTestAffkit } from './serve-test-affkit.ts';

const run = promisify(execFile);
const nodePackage = join(import.meta.dirname, '../../node');
const deno = join(dirname(createRequire(`${nodePackage}/`).resolve('deno/package.json')), 'bin.cjs');
/** The server never answers requests for this program. */
const SILENT_ID = 777;

let folder = '';
let project = '';

beforeAll(async () => {
  ({ folder, project } = makeProject());
  for (const source of [join(nodePackage, 'test/runtimes'), join(import.meta.dirname, 'runtimes')]) {
    cpSync(source, project, { recursive: true });
  }
  await runNpm(project, 'ci', '--no-audit', '--no-fund');
  await installPacked('node', project);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

type RunProgram = (input: object) => Promise<unknown>;

const runBy =
  (command: () => readonly [string, ...string[]]): RunProgram =>
  async (input) => {
    const [file, ...args] = command();
    const { stdout } = await run(file, [...args, 'main.mjs', JSON.stringify(input)], { cwd: project });
    return JSON.parse(stdout);
  };

/** Runs another version of Node, which npm loads from its registry. */
const nodeOf = (version: string) => ['npx', '--yes', `--package=node@${version}`, '--', 'node'] as const;

const binary = (name: string) => join(project, 'node_modules/.bin', name);

/** Bundles the program, because workerd reads no `node_modules`, and starts it as a worker. */
async function runByWorkerd(input: object): Promise<unknown> {
  await run(binary('bun'), ['build', 'worker.mjs', '--target=browser', '--outfile=worker.js'], {
    cwd: project,
  });
  const worker = spawn(binary('workerd'), ['serve', 'workerd.capnp', '--control-fd=3'], {
    cwd: project,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  onTestFinished(() => void worker.kill());
  const [line] = await once(worker.stdio[3] as Readable, 'data');
  const { port } = JSON.parse(String(line)) as { readonly port: number };
  const reply = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: JSON.stringify(input) });
  return reply.json();
}

/** Serves the test server over HTTP. It carries out the first adjustment, but the reply is a 503. */
async function startCore(): Promise<{ readonly server: TestAffkit; readonly baseUrl: string }> {
  const server = await createTestAffkit();
  onTestFinished(() => server.close());
  let adjustments = 0;
  const serve: TestAffkit['fetch'] = async (url, init) => {
    if (url.endsWith(`/${SILENT_ID}`)) return new Promise<Response>(() => {});
    const reply = await server.fetch(url, init);
    if (!url.endsWith('/adjust')) return reply;
    adjustments += 1;
    return adjustments === 1 ? new Response(null, { status: 503, headers: { 'retry-after': '0' } }) : reply;
  };
  return { server, baseUrl: await serveTestAffkit({ baseUrl: server.baseUrl, fetch: serve }) };
}

/** Node versions other than the one that runs the tests. 20.16.0 and 22.3.0 are the oldest supported versions. */
const NODE_VERSIONS = ['20.16.0', '20.20.2', '22.3.0', '22.22.0', '26'];

/**
 * The runtimes. The number is how many times the client tries to write to a closed port. In Deno and workerd, the
 * client cannot know that the connection was refused, so it does not retry the write.
 */
const RUNTIMES: readonly (readonly [string, RunProgram, number])[] = [
  ['Node', runBy(() => [process.execPath]), 2],
  ...NODE_VERSIONS.map((version) => [`Node ${version}`, runBy(() => nodeOf(version)), 2] as const),
  ['Bun', runBy(() => [binary('bun')]), 2],
  // Deno has permission for loopback connections only, not for files or environment variables.
  ['Deno', runBy(() => [process.execPath, deno, 'run', '--no-prompt', '--allow-net=127.0.0.1']), 1],
  ['workerd', runByWorkerd, 1],
];

describe.each(RUNTIMES)('in %s', (_runtime, runProgram, refusedAttempts) => {
  test('the installed package works', async () => {
    expect(await runProgram({ program: 'sdk', baseUrl: await startRuntimeServer() })).toEqual(SDK_RESULT);
  });

  test('the management client lists, writes once despite a 503, and throws the documented errors', async () => {
    const { server, baseUrl } = await startCore();
    const partner = await server.partner({ code: 'p1' });
    await server.partner({ code: 'p2' });
    await server.partner({ code: 'p3' });
    const seen = await runProgram({
      program: 'management',
      baseUrl,
      token: server.token,
      programId: server.programId,
      apiKey: await server.createApiKey(),
      clickId: await partner.click(),
      silentId: SILENT_ID,
      refusedUrl: `http://127.0.0.1:${await findFreePort()}`,
    });
    expect(seen).toEqual({
      codes: ['p1', 'p2', 'p3'],
      sizes: [
        [2, 2],
        [1, 2],
      ],
      aborted: ['AffkitAbortError', 0, 'aborted'],
      lines: 4,
      outcomes: {
        a: 'recorded',
        refused: ['AffkitValidationError', 1],
        invalid: ['AffkitValidationError', 0],
        b: 'recorded',
      },
      adjusted: [-500, -500],
      retries: [503],
      errors: {
        missing: ['AffkitNotFoundError', 404, 'not_found'],
        invalid: ['AffkitValidationError', 400, 'invalid_field'],
        taken: ['AffkitConflictError', 409, 'slug_taken'],
        unknownKey: ['AffkitAuthenticationError', 401, 'key_rejected'],
        timeout: ['AffkitTimeoutError', 1, 'timeout'],
        refused: ['AffkitConnectionError', 1, 'connection_failed'],
        refusedWrite: ['AffkitConnectionError', refusedAttempts, 'connection_failed'],
      },
    });
    expect(await partner.balanceCents()).toBe(3_500);
  });
});

test.each(NODE_VERSIONS)('the spool, sign, and verify work in Node %s', async (version) => {
  const [file, ...args] = nodeOf(version);
  const { stdout } = await run(file, [...args, 'node-program.mjs'], { cwd: project });
  expect(JSON.parse(stdout)).toEqual({ status: 'queued', sent: 1, queued: 0, dead: 0, verified: {} });
});
