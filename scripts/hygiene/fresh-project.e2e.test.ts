import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../../packages/core/test/support/free-port.ts';
import { installPacked, linkPackage, makeProject } from '../../packages/node/test/packed-project.ts';
import { embedInExpress, startServerTwice } from './fresh-project.ts';
import { EXAMPLES, writeExamples } from './readmes.ts';
import { writeSamples } from './samples.ts';
import { startProgram } from './start-program.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const compiler = createRequire(join(root, 'package.json')).resolve('typescript-native/package.json');
const PACKAGES = ['protocol', 'core', 'dashboard', 'tracker', 'node', 'server', 'testing'];

let folder = '';
let project = '';

/** Installs the packages as npm does, but links their dependencies from this workspace instead of downloading them. */
beforeAll(async () => {
  ({ folder, project } = makeProject());
  const bin = join(project, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  for (const name of PACKAGES) {
    const { manifest } = await installPacked(name, project);
    for (const dependency of Object.keys(manifest.dependencies ?? {})) linkPackage(dependency, name, project);
    for (const [command, path] of Object.entries(manifest.bin ?? {})) {
      const target = join(project, 'node_modules', manifest.name, path);
      symlinkSync(relative(bin, target), join(bin, command));
    }
  }
  linkPackage('express', 'server', project);
  writeExamples(project);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const example = (name: string) => [process.execPath, `${name}.mts`] as const;

test('npx @affkit/server starts in an empty folder, and records a sale; a second start keeps everything', async () => {
  await startServerTwice({ folder: project, node: process.execPath });
});

test('the example of core embeds Affkit in Express, and records a sale', async () => {
  await embedInExpress({ folder: project, node: process.execPath });
});

test('the example of the dashboard serves its page', async () => {
  const port = await findFreePort();
  startProgram(example('dashboard'), { cwd: project, env: { PORT: String(port) } });
  const page = () =>
    fetch(`http://127.0.0.1:${port}/affiliates/app`).then(
      (reply) => reply.text(),
      () => '',
    );
  await expect.poll(page).toContain('<!doctype html>');
});

test.each([
  ['protocol', '1999 409\n'],
  ['testing', '2000\n'],
  // Outside of a browser, the tracker does nothing.
  ['tracker', ''],
])('the example of %s prints %j', async (name, output) => {
  const [command, ...args] = example(name);
  expect((await run(command, args, { cwd: project, env: {} })).stdout).toBe(output);
});

const ENTRIES = {
  '@affkit/core': 'createAffkit',
  '@affkit/core/sqlite': 'sqliteEngine',
  '@affkit/core/postgres': 'postgresEngine',
  '@affkit/core/express': 'expressAdapter',
  '@affkit/core/fetch': 'fetchAdapter',
  '@affkit/core/node': 'nodeAdapter',
  '@affkit/dashboard/express': 'expressDashboard',
  '@affkit/dashboard/fetch': 'fetchDashboard',
  '@affkit/dashboard/files': 'readFiles',
  '@affkit/dashboard/node': 'nodeDashboard',
  '@affkit/node': 'Affkit',
  '@affkit/protocol': 'trackSaleRequest',
  '@affkit/protocol/currency-exponent': 'currencyExponent',
  '@affkit/server': 'startServer',
  '@affkit/testing': 'createTestAffkit',
  '@affkit/tracker': 'createTracker',
};

test.each([
  ['import', 'entries.mjs', (entry: string) => `await import('${entry}')`],
  ['require', 'entries.cjs', (entry: string) => `require('${entry}')`],
])('every entry can be loaded by %s', async (_how, file, load) => {
  const lines = Object.entries(ENTRIES).map(
    ([entry, name]) => `console.log(typeof (${load(entry)}).${name});`,
  );
  writeFileSync(join(project, file), lines.join('\n'));
  const { stdout } = await run(process.execPath, [file], { cwd: project, env: {} });
  const types = stdout.trim().split('\n');
  expect(types.map((type) => type === 'function' || type === 'object')).toEqual(types.map(() => true));
  expect(types).toHaveLength(lines.length);
});

/** The packages that the samples of the documentation import, each with a workspace package that depends on it. */
const LINKED: Readonly<Record<string, string>> = {
  '@types/node': '..',
  '@types/express': 'server',
  '@types/better-sqlite3': 'core',
  '@types/pg': 'core',
  '@types/koa': 'core',
  '@types/react': 'tracker',
  koa: 'core',
  hono: 'core',
  '@hono/node-server': 'core',
  '@opentelemetry/api': 'core',
  stripe: 'node',
  mysql2: 'node',
  undici: 'node',
  msw: 'testing',
  react: 'tracker',
  'rate-limiter-flexible': 'server',
};

test('every example, entry, and sample of the documentation compiles in strict TypeScript', async () => {
  for (const [dependency, owner] of Object.entries(LINKED)) linkPackage(dependency, owner, project);
  const imports = Object.entries(ENTRIES).map(([entry, name]) => `export { ${name} } from '${entry}';`);
  writeFileSync(join(project, 'entries.mts'), imports.join('\n'));
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const module = [
    '--target',
    'es2024',
    '--lib',
    'es2024,dom',
    '--types',
    'node',
    '--module',
    'nodenext',
    '--jsx',
    'react-jsx',
  ];
  const args = [
    join(dirname(compiler), 'bin/tsc'),
    ...strict,
    ...module,
    '--noEmit',
    '--ignoreConfig',
    '--checkers',
    '1',
  ];
  const { stdout } = await run(
    process.execPath,
    [...args, 'entries.mts', ...EXAMPLES, ...writeSamples(project)],
    {
      cwd: project,
    },
  ).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});
