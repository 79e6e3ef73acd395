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

/** What an entry of `exports` stands for. */
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

/** A folder outside the workspace, with a project in it that has installed nothing yet. */
export function makeProject(): { readonly folder: string; readonly project: string } {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-packed-'));
  const project = join(folder, 'project');
  mkdirSync(join(project, 'node_modules'), { recursive: true });
  writeFileSync(join(project, 'package.json'), '{"private":true}');
  return { folder, project };
}

/** Packs a package of this workspace, which is built by then, and unpacks it where an install in the project would. */
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

/** Gives the project a package that one of this workspace has, as its own. Nothing where it is there already. */
export function linkPackage(dependency: string, name: string, project: string): void {
  const target = join(project, 'node_modules', dependency);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(realpathSync(join(packages, name, 'node_modules', dependency)), target, 'junction');
}
