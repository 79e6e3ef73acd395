import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installPacked, type Packed, type Target } from '../../packages/node/test/packed-project.ts';

// Import the file by its path. If the package were imported by its name, Vitest would load its TypeScript sources, and
// Node does not run TypeScript in `node_modules`.
const { checkPackage, createPackageFromTarballData }: typeof import('@arethetypeswrong/core') = await import(
  `${import.meta.dirname}/../../node_modules/@arethetypeswrong/core/dist/index.js`
);

const PACKAGES = ['core', 'dashboard', 'node', 'protocol', 'server', 'testing', 'tracker'];
/** The supported Node versions of the packages that also support Node 20. */
const NODE_RANGES: Readonly<Record<string, string>> = {
  node: '^20.16.0 || >=22.3.0',
  tracker: '>=20',
};
/** Ways to resolve a package that exist only for CommonJS. */
const COMMON_JS = ['node10', 'node16-cjs'];

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'affkit-packed-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(PACKAGES)('the packed %s', (name) => {
  let packed: Packed;
  beforeAll(async () => {
    packed = await installPacked(name, folder);
  });

  test('contains its license, manifest, every exported file, and the sources of its source maps', () => {
    const { files, manifest } = packed;
    const named = targetsOf(manifest.exports).map((path) => posix.normalize(path));
    expect(named).toContain('package.json');
    expect(['LICENSE', 'README.md', ...named].filter((path) => !files.includes(path))).toEqual([]);

    const maps = files.filter((path) => path.endsWith('.js.map'));
    expect(maps.length).toBeGreaterThan(0);
    const missing = maps.flatMap((path) => {
      const map: { sources: string[]; sourcesContent?: string[] } = JSON.parse(
        readFileSync(join(folder, 'node_modules', '@affkit', name, path), 'utf8'),
      );
      const isThere = (source: string, index: number) =>
        map.sourcesContent?.[index] !== undefined || files.includes(posix.join(dirname(path), source));
      return map.sources.filter((source, index) => !isThere(source, index));
    });
    expect(missing).toEqual([]);
  });

  test('is published to everybody, with npm provenance, for the supported versions of Node', () => {
    expect(packed.manifest).toMatchObject({
      publishConfig: { access: 'public', provenance: true },
      license: 'MIT',
      engines: { node: NODE_RANGES[name] ?? '>=22.22' },
      files: expect.arrayContaining(['dist']),
      sideEffects: expect.anything(),
    });
    expect(JSON.stringify(packed.manifest)).not.toMatch(/workspace:|catalog:/);
  });

  test('passes the checks of publint', async () => {
    const pack = { tarball: Uint8Array.from(readFileSync(packed.tarball)).buffer };
    expect((await publint({ strict: true, pack })).messages).toEqual([]);
  });

  test('has types that match its code, also for CommonJS if it contains CommonJS code', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(packed.tarball)));
    if (!analysis.types) return expect.unreachable('The package has no types');
    expect(analysis.types).toEqual({ kind: 'included' });
    const problems = analysis.problems.filter(
      (problem) =>
        name === 'node' || !('resolutionKind' in problem) || !COMMON_JS.includes(problem.resolutionKind),
    );
    expect(problems).toEqual([]);
  });
});

function targetsOf(target: Target): string[] {
  return typeof target === 'string' ? [target] : Object.values(target).flatMap(targetsOf);
}
