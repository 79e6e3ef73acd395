import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished, vi } from 'vitest';
import { findFreePort } from '../../../packages/core/test/support/free-port.ts';
import {
  installPacked,
  linkPackage,
  makeProject,
  runNpm,
  tarballOf,
} from '../../../packages/node/test/packed-project.ts';
import { type Files, fileOf, filesOf } from './guide-files.ts';
import { APP_SECRET, type Seed, seedDatabase } from './seed.ts';

const run = promisify(execFile);
const apps = join(import.meta.dirname, '..', 'apps');
const compiler = createRequire(import.meta.url).resolve('typescript-native/package.json');

export const WEBHOOK_SECRET = 'whsec_of_the_test';
/** The packages that a framework needs to mount core. */
const PACKAGES = ['protocol', 'core', 'node'];
const START_TIMEOUT_MS = 60_000;

/** A running app of a guide, with a program in its database. */
export interface App extends Seed {
  /** The URL of the app without a path. */
  readonly origin: string;
  /** Sends SIGTERM. @returns the exit code, or the signal if the app does not handle SIGTERM */
  readonly stop: () => Promise<number | NodeJS.Signals>;
}

/** Creates a project from the given files and the packed packages of this workspace, and removes it after the test. */
export async function makeApp(files: Files): Promise<string> {
  const project = makeFolder();
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
  addFiles(project, files);
  await addAffkit(project);
  return project;
}

/**
 * Creates a project from `apps/<name>` and the files of its guide, installs the versions of its lockfile, and
 * builds it.
 * @param shared the files of docs/guides/frameworks.md that the app needs. Each key is a path on the page, and its
 * value is the path in the app
 * @param add adds the packed packages of this workspace
 */
export async function buildApp(
  name: string,
  shared: Readonly<Record<string, string>>,
  add: (project: string) => Promise<void> = addAffkit,
): Promise<string> {
  const project = makeFolder();
  cpSync(join(apps, name), project, { recursive: true });
  addFiles(project, filesOf(`frameworks/${name}.md`));
  for (const [path, target] of Object.entries(shared)) {
    addFiles(project, { [target]: fileOf('frameworks.md', path) });
  }
  await runNpm(project, 'ci', '--no-audit', '--no-fund');
  await add(project);
  await runNpm(project, 'run', 'build');
  return project;
}

function makeFolder(): string {
  const { folder, project } = makeProject();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return project;
}

function addFiles(project: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
}

/**
 * Adds the packed packages, and links their dependencies from this workspace. The result is the same as after
 * `npm install` of the tarballs.
 */
async function addAffkit(project: string): Promise<void> {
  const path = join(project, 'package.json');
  const manifest: { dependencies?: Record<string, string> } = JSON.parse(readFileSync(path, 'utf8'));
  const added: Record<string, string> = { 'better-sqlite3': '*' };
  linkPackage('better-sqlite3', 'core', project);
  for (const name of PACKAGES) {
    const packed = await installPacked(name, project);
    for (const dependency of Object.keys(packed.manifest.dependencies ?? {})) {
      linkPackage(dependency, name, project);
    }
    added[packed.manifest.name] = '*';
  }
  // The packages are listed as dependencies, because some builds bundle every package that is not listed.
  const dependencies = { ...manifest.dependencies, ...added };
  writeFileSync(path, JSON.stringify({ ...manifest, dependencies }, null, 2));
}

/**
 * Installs the packed packages and their dependencies with npm, for builds that do not follow links out of the project.
 */
export async function installAffkit(project: string): Promise<void> {
  const tarballs = PACKAGES.map(tarballOf);
  await runNpm(project, 'install', '--no-audit', '--no-fund', ...tarballs, 'better-sqlite3@13');
}

/** Type-checks files of a project. @returns what the compiler prints */
export async function compile(project: string, files: readonly string[]): Promise<string> {
  linkPackage('@types/node', '..', project);
  linkPackage('@types/better-sqlite3', 'core', project);
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const module = ['--target', 'es2024', '--types', 'node', '--module', 'nodenext'];
  const node = [
    '--allowImportingTsExtensions',
    '--erasableSyntaxOnly',
    '--noEmit',
    '--ignoreConfig',
    '--checkers',
    '1',
  ];
  const args = [join(dirname(compiler), 'bin/tsc'), ...strict, ...module, ...node, ...files];
  const { stdout } = await run(process.execPath, args, { cwd: project }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

/**
 * Creates the app's database `affkit.db` with a program, and starts the app on a free port. Stops the app after
 * the test.
 * @param env further environment variables
 */
export async function startApp(
  project: string,
  [command, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
): Promise<App> {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  for (const file of globSync('affkit.db*', { cwd: project })) rmSync(join(project, file));
  const seed = await seedDatabase(join(project, 'affkit.db'), origin);
  const child = spawn(command, args, {
    cwd: project,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      HOST: '127.0.0.1',
      PORT: String(port),
      AFFKIT_BASE_URL: `${origin}/affiliates`,
      AFFKIT_TOKEN: seed.token,
      AFFKIT_WEBHOOK_SECRET: WEBHOOK_SECRET,
      AFFKIT_SECRET: APP_SECRET,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    await end(child, 'SIGKILL');
  });
  const output = collect(child);
  await waitUntilListening(child, origin, output);
  return { ...seed, origin, stop: () => end(child, 'SIGTERM') };
}

/** Resolves once any response arrives. In some guides, the first request also starts core. */
async function waitUntilListening(child: ChildProcess, origin: string, output: () => string): Promise<void> {
  await vi.waitFor(
    async () => {
      if (child.exitCode !== null) return;
      await fetch(`${origin}/affiliates/api/openapi.json`, { method: 'HEAD' });
    },
    { timeout: START_TIMEOUT_MS, interval: 50 },
  );
  if (child.exitCode !== null) throw new Error(`The app exited with ${child.exitCode}: ${output()}`);
}

function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return () => text;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
  const exited = child.exitCode ?? child.signalCode;
  if (exited !== null) return exited;
  const exit = once(child, 'exit');
  child.kill(signal);
  const [code, endedBy] = await exit;
  return code ?? endedBy;
}
