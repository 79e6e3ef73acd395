import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './steps.ts';

const root = join(import.meta.dirname, '..');
const stamp = join(root, 'node_modules', '.affkit-build');

/** Builds every package, dependencies first; resolves to the exit code. */
export async function build(): Promise<number> {
  rmSync(stamp, { force: true });
  const withoutSources = packageFolders().filter((folder) => !existsSync(join(root, folder, 'src')));
  for (const folder of withoutSources) console.log(`${folder} has no sources yet: not built`);
  const filters = withoutSources.map((folder) => `--filter=!./${folder}`);
  const code = await runCommand('npx', '-y', process.env['AFFKIT_PNPM'] ?? 'pnpm', '-r', ...filters, 'build');
  if (code === 0) writeFileSync(stamp, sourcesHash());
  return code;
}

/** Bundles the server for the tests, unless that was done after the last build. Resolves to the exit code. */
export async function bundleServer(): Promise<number> {
  const bundle = statSync(join(root, 'packages/server/.bundle/main.js'), { throwIfNoEntry: false });
  if (bundle !== undefined && bundle.mtimeMs >= statSync(stamp).mtimeMs) return 0;
  return runCommand(process.execPath, 'packages/server/scripts/bundle.ts');
}

/** Packs every package into a tarball in `folder`; resolves to the exit code. */
export function pack(folder: string): Promise<number> {
  const pnpm = process.env['AFFKIT_PNPM'] ?? 'pnpm';
  return runCommand(
    'npx',
    '-y',
    pnpm,
    '-r',
    '--reporter=silent',
    '--filter=./packages/*',
    'pack',
    `--pack-destination=${folder}`,
  );
}

/** Builds if a source has changed since the last whole build, or if output is missing. */
export async function buildIfChanged(): Promise<number> {
  const isBuilt = packageFolders().every(
    (folder) => !existsSync(join(root, folder, 'src')) || existsSync(join(root, folder, 'dist')),
  );
  if (isBuilt && existsSync(stamp) && readFileSync(stamp, 'utf8') === sourcesHash()) {
    console.log('Nothing has changed since the last build');
    return 0;
  }
  return build();
}

function packageFolders(): string[] {
  return globSync('packages/*/package.json', { cwd: root })
    .map((manifest) => join(manifest, '..'))
    .sort();
}

const NOT_BUILT: ReadonlySet<string> = new Set([
  'node_modules',
  'dist',
  '.bundle',
  'data',
  'coverage',
  'test',
]);

function sourcesHash(): string {
  const files = globSync(['packages/**', 'tsconfig.base.json', 'pnpm-lock.yaml'], {
    cwd: root,
    withFileTypes: true,
    exclude: ({ name }) => NOT_BUILT.has(name) || name.endsWith('.test.ts'),
  });
  const paths = files.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const path of paths.sort()) hash.update(`${path}\0`).update(readFileSync(path)).update('\0');
  return hash.digest('hex');
}
