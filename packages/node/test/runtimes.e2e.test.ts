import { execFile } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installPacked, makeProject } from './packed-project.ts';
import { SDK_RESULT, startRuntimeServer } from './runtime-server.ts';

const run = promisify(execFile);

let folder = '';
let project = '';

beforeAll(async () => {
  ({ folder, project } = makeProject());
  cpSync(join(import.meta.dirname, 'runtimes'), project, { recursive: true });
  await installPacked('node', project);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const deno = join(dirname(createRequire(import.meta.url).resolve('deno/package.json')), 'bin.cjs');

test.each([
  ['Node', process.execPath, []],
  // Deno has permission for loopback connections only, not for files or environment variables.
  ['Deno', process.execPath, [deno, 'run', '--no-prompt', '--allow-net=127.0.0.1']],
])(
  'the installed package works in %s',
  async (_runtime, command, args) => {
    const input = JSON.stringify({ program: 'sdk', baseUrl: await startRuntimeServer() });
    const { stdout } = await run(command, [...args, 'main.mjs', input], { cwd: project });
    expect(JSON.parse(stdout)).toEqual(SDK_RESULT);
  },
  60_000,
);
