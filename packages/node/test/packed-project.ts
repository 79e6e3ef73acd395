import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const run = promisify(execFile);
const packages = join(import.meta.dirname, '..', '..');

/** The target of an entry in `exports`. */
export type Target = string | { readonly [condition: string]: Target };

/** A package as it would be published. */
export interface Packed {
  readonly tarball: string;
  readonly files: readonly string[];
  readonly manifest: {
    readonly name: string;
    readonly exports: Target;
    readonly bin?: Readonly<Record<string, string>>;
    readonly dependencies?: Readonly<Record<string, string>>;
  };
}

/** Creates a temporary folder outside the workspace, with an empty project in it. */
export function makeProject(): { readonly folder: string; readonly project: string } {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-packed-'));
  const project = join(folder, 'project');
  mkdirSync(join(project, 'node_modules'), { recursive: true });
  writeFileSync(join(project, 'package.json'), '{"private":true}');
  return { folder, project };
}

/**
 * Unpacks a package of this workspace into `node_modules` of the project. The setup of the e2e tests builds
 * and packs the package.
 */
export async function installPacked(name: string, project: string): Promise<Packed> {
  const tarball = tarballOf(name);
  const installed = join(project, 'node_modules', '@affkit', name);
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
  const { stdout } = await run('tar', ['-tzf', tarball]);
  return {
    tarball,
    files: stdout
      .trim()
      .split('\n')
      .map((path) => path.replace(/^package\//, '')),
    manifest: JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')),
  };
}

/** Returns the path of a package's tarball. The setup of the e2e tests creates the tarball. */
export function tarballOf(name: string): string {
  return join(inject('packedFolder'), `affkit-${name}-${readVersion(name)}.tgz`);
}

function readVersion(name: string): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(packages, name, 'package.json'), 'utf8'),
  );
  return version;
}

/** Links a dependency of the workspace package `name` into the project, unless it is already there. */
export function linkPackage(dependency: string, name: string, project: string): void {
  const target = join(project, 'node_modules', dependency);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(realpathSync(join(packages, name, 'node_modules', dependency)), target, 'junction');
}

/**
 * Runs npm in a project.
 *
 * @throws Error with the output of the command if it fails
 */
export async function runNpm(project: string, ...args: readonly string[]): Promise<void> {
  await run('npm', args, { cwd: project, maxBuffer: 64 * 1024 * 1024 }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`npm ${args.join(' ')} failed:\n${stdout}${stderr}`);
    },
  );
}
