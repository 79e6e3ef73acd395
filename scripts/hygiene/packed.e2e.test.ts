import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { installPacked, type Target } from '../../packages/node/test/packed-project.ts';

test.each(['core', 'dashboard', 'node', 'protocol', 'server', 'testing', 'tracker'])(
  'the packed %s contains its manifest, every exported file, and the sources of its source maps',
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'affkit-packed-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { files, manifest } = await installPacked(name, folder);
    const named = targetsOf(manifest.exports).map((path) => posix.normalize(path));
    expect(named).toContain('package.json');
    expect(named.filter((path) => !files.includes(path))).toEqual([]);

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
  },
);

function targetsOf(target: Target): string[] {
  return typeof target === 'string' ? [target] : Object.values(target).flatMap(targetsOf);
}
