import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { expect, test } from 'vitest';
import { findEngineProblems } from './engines.ts';
import { readInstalled } from './installed.ts';
import { findLicenseProblems } from './licenses.ts';
import { findQueryProblems } from './queries.ts';

const root = join(import.meta.dirname, '..', '..');

interface Manifest {
  readonly files: readonly string[];
  readonly exports: object;
  readonly publishConfig?: { readonly exports: object };
}

test('no installed package has a license that would apply to the users of Affkit', () => {
  const installed = readInstalled(root, 'all');
  expect(installed.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['vitest', 'kysely', 'tinybench']),
  );
  expect(findLicenseProblems(installed)).toEqual([]);
});

test('every package that users install runs on every supported Node version', () => {
  const installed = readInstalled(root, 'production');
  expect(installed.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['@affkit/core', 'kysely', 'zod']),
  );
  expect(findEngineProblems(installed)).toEqual([]);
});

test('pnpm checks `engines` against the oldest Node version that the workspace may install', () => {
  const settings = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const [, installed] = /^ {2}node: \^(\S+)$/m.exec(settings) ?? [];
  const [, checkedAgainst] = /^nodeVersion: (\S+)$/m.exec(settings) ?? [];
  expect(checkedAgainst).toMatch(/^\d+\.\d+\.\d+$/);
  expect(checkedAgainst).toBe(installed);
});

test('the lockfile contains the optional packages of all platforms', () => {
  const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8');
  const settings = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const [, ignored = ''] = /^ignoredOptionalDependencies:\n((?: {2}- \S+\n)+)/m.exec(settings) ?? [];
  const locked = new Set([...lockfile.matchAll(/^ {2}'?(@?[^@'\s]+)@/gm)].map(([, name]) => name));
  const missing = readInstalled(root, 'all')
    .flatMap(({ optionalNames }) => optionalNames)
    .filter((name) => !locked.has(name) && !ignored.includes(`- ${name}\n`));
  expect(locked).toContain('@biomejs/cli-darwin-arm64');
  expect(missing).toEqual([]);
});

test('every script of the workspace runs through run.mjs', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const { stderr } = spawnSync(process.execPath, ['scripts/run.mjs'], { cwd: root, encoding: 'utf8' });
  const [, tasks = ''] = /Tasks: (.+)$/m.exec(stderr) ?? [];
  expect(Object.entries(scripts).toSorted()).toEqual(
    tasks
      .split(', ')
      .map((task) => [task, `exec node scripts/run.mjs ${task}`])
      .toSorted(),
  );
});

test('the published exports are the exports in the workspace, minus the condition `@affkit/source`', () => {
  const manifests = globSync('packages/*/package.json', { cwd: root }).map((path): Manifest => {
    return JSON.parse(readFileSync(join(root, path), 'utf8'));
  });
  const shipped = manifests.filter(({ files }) => !files.includes('src'));
  expect(shipped.map(({ publishConfig }) => publishConfig?.exports)).toEqual(
    shipped.map((manifest) =>
      JSON.parse(
        JSON.stringify(manifest.exports, (name, value) => (name === '@affkit/source' ? undefined : value)),
      ),
    ),
  );
});

test('core contains database queries only in storage', () => {
  expect(findQueryProblems(readSources())).toEqual([]);
});

function readSources(): { path: string; text: string }[] {
  const paths = globSync(['packages/*/{src,test}/**/*.ts', '{examples,bench}/**/*.ts'], {
    cwd: root,
    exclude: (path) => path.endsWith('node_modules') || path.endsWith('dist'),
  });
  return paths.map((path) => ({
    path: path.split(sep).join('/'),
    text: readFileSync(join(root, path), 'utf8'),
  }));
}
