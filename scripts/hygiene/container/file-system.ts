import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');
const cache = join(root, 'node_modules', '.cache', 'affkit', 'debian');
const MAX_OUTPUT = 64 * 1024 * 1024;

/** The folders of `/usr/share` that Debian's slim images leave out. */
const EXCLUDED = ['doc', 'groff', 'info', 'linda', 'lintian', 'locale', 'man'];

/**
 * Creates the root file system of a Docker Hub image from Debian packages. Node and npm come from npm.
 * @param folder an empty folder
 * @throws Error for an image other than `debian:<suite>-slim` and `node:<version>-<suite>-slim`
 */
export async function createBase(image: string, folder: string): Promise<void> {
  const [, version, suite] = /^(?:debian:|node:([\d.]+)-)([a-z]+)-slim$/.exec(image) ?? [];
  if (suite === undefined) throw new Error(`There is no file system for the image ${image}`);
  await run('tar', ['--extract', '--file', await debian(suite), '--directory', folder, '--exclude=./dev/*']);
  if (version !== undefined) await addNode(folder, version);
}

/** @returns the path of a tarball with the packages of Debian's slim image. The first call creates the tarball */
async function debian(suite: string): Promise<string> {
  const tarball = join(cache, `${suite}.tar`);
  if (existsSync(tarball)) return tarball;
  mkdirSync(cache, { recursive: true });
  const excluded = EXCLUDED.map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
  const included = '--dpkgopt=path-include=/usr/share/doc/*/copyright';
  await run(
    'mmdebstrap',
    ['--quiet', '--variant=minbase', ...excluded, included, suite, `${tarball}.part.tar`],
    {
      maxBuffer: MAX_OUTPUT,
    },
  );
  renameSync(`${tarball}.part.tar`, tarball);
  return tarball;
}

/** Adds Node and npm at the paths of the official image. */
async function addNode(folder: string, version: string): Promise<void> {
  const packages = mkdtempSync(join(tmpdir(), 'affkit-node-'));
  try {
    const npm = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', packages];
    const platform = `node-${process.platform}-${process.arch}`;
    await run('npm', [...npm, `${platform}@${version}`, 'npm@11'], { maxBuffer: MAX_OUTPUT });
    const modules = join(packages, 'node_modules');
    const local = join(folder, 'usr', 'local');
    mkdirSync(join(local, 'lib', 'node_modules'), { recursive: true });
    copyFileSync(join(modules, platform, 'bin', 'node'), join(local, 'bin', 'node'));
    await run('cp', ['--archive', join(modules, 'npm'), join(local, 'lib', 'node_modules', 'npm')]);
    for (const name of ['npm', 'npx']) {
      await run('ln', ['-s', `../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name)]);
    }
  } finally {
    rmSync(packages, { recursive: true, force: true });
  }
}

/** A command that runs in a root file system. */
export interface Command {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
}

/**
 * Runs a step of a build in a root file system, with the network of this machine.
 * @throws Error with the output if the command fails
 */
export async function runInside(folder: string, { words, env, workdir }: Command): Promise<void> {
  const { network, files } = await networkOf();
  const mounts = [
    ...['dev', 'proc'].map((name) => `mount --rbind /${name} "$0/${name}"`),
    ...files.map((file) => `mount --bind ${file} "$0${file}"`),
  ];
  for (const file of files) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    await run('touch', [join(folder, file)]);
  }
  const variables = Object.entries({ ...network, ...env }).map(([name, value]) => `${name}=${value}`);
  const script = [...mounts, 'exec chroot "$0" /usr/bin/env -i "$@"'].join('\n');
  const args = [folder, `--chdir=${workdir}`, ...variables, ...words];
  await run('unshare', ['--mount', 'sh', '-e', '-c', script, ...args], { maxBuffer: MAX_OUTPUT }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${words.join(' ')} failed:\n${stdout}${stderr}`);
    },
  );
}

/** The settings and files with which this machine reaches the npm registry. */
async function networkOf() {
  const { stdout } = await run('npm', ['config', 'get', 'registry'], { cwd: tmpdir() });
  const authorities = process.env['NODE_EXTRA_CA_CERTS'];
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];
  const variables = [...proxies, 'NODE_EXTRA_CA_CERTS'].map((name) => [name, process.env[name]] as const);
  return {
    network: {
      npm_config_registry: stdout.trim(),
      ...Object.fromEntries(variables.filter((entry): entry is [string, string] => entry[1] !== undefined)),
    },
    files: ['/etc/resolv.conf', '/etc/hosts', ...(authorities ? [authorities] : [])],
  };
}

/** The size of a root file system as the sum of its files, in bytes. */
export async function sizeOf(folder: string): Promise<number> {
  const { stdout } = await run('du', ['--summarize', '--bytes', '--one-file-system', folder]);
  return Number.parseInt(stdout, 10);
}
