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
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const packages = join(import.meta.dirname, '..', '..');
const PATH = [join(packages, '..', 'node_modules', '.bin'), process.env['PATH']].join(delimiter);

/** The target of an entry in `exports`. */
export type Target = string | { readonly [condition: string]: Target };

/** A package as it would be published. */
export interface Packed {
  readonly tarball: string;
  readonly files: readonly string[];
  readonly manifest: {
    readonly name: string;
    readonly exports: Target;
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

/** Packs a built package of this workspace and unpacks it into `node_modules` of the project. */
export async function installPacked(name: string, folder: string, project: string): Promise<Packed> {
  const source = join(packages, name);
  const env = { ...process.env, PATH };
  const pnpm = process.env['AFFKIT_PNPM'] ?? 'pnpm';
  const { stdout } = await run('npx', ['-y', pnpm, 'pack', '--json', '--pack-destination', folder], {
    cwd: source,
    env,
  });
  const packed = JSON.parse(stdout) as { filename: string; files: { path: string }[] };
  const installed = join(project, 'node_modules', '@affkit', name);
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', packed.filename, '--strip-components=1', '-C', installed]);
  return {
    tarball: packed.filename,
    files: packed.files.map(({ path }) => path),
    manifest: JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')),
  };
}

/** Links a dependency of the workspace package `name` into the project, unless it is already there. */
export function linkPackage(dependency: string, name: string, project: string): void {
  const target = join(project, 'node_modules', dependency);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(realpathSync(join(packages, name, 'node_modules', dependency)), target, 'junction');
}
