import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../packages/core/test/support/make-temp-folder.ts';
import { IMAGE_FILES, prepareRelease, writeImageVersion } from './release.ts';
import { writeReleaseNotes } from './release-notes.ts';

function makeRoot(versions: Readonly<Record<string, string>>): string {
  const root = makeTempFolder();
  for (const [name, version] of Object.entries(versions)) {
    mkdirSync(join(root, 'packages', name), { recursive: true });
    writeFileSync(
      join(root, 'packages', name, 'package.json'),
      JSON.stringify({ name: `@affkit/${name}`, version, license: 'MIT' }),
    );
  }
  return root;
}

const read = (root: string, name: string) =>
  JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));

test('a release names the repository and the folder in each manifest', () => {
  const root = makeRoot({ core: '0.1.0', node: '0.1.0' });
  prepareRelease(root, { tag: 'v0.1.0', repository: 'shop/affkit' });
  expect(read(root, 'node')).toEqual({
    name: '@affkit/node',
    version: '0.1.0',
    license: 'MIT',
    repository: { type: 'git', url: 'git+https://github.com/shop/affkit.git', directory: 'packages/node' },
    homepage: 'https://github.com/shop/affkit/tree/HEAD/packages/node#readme',
    bugs: 'https://github.com/shop/affkit/issues',
  });
});

test('a release changes nothing if a package does not have the version in the tag', () => {
  const root = makeRoot({ core: '0.1.0', node: '0.2.0' });
  expect(() => prepareRelease(root, { tag: 'v0.1.0', repository: 'shop/affkit' })).toThrow(
    'The tag is v0.1.0, but the version of @affkit/node is 0.2.0.',
  );
  expect(read(root, 'core')).not.toHaveProperty('repository');
});

test('a new version replaces every version of the container image in IMAGE_FILES', () => {
  const root = makeRoot({ core: '7.8.9-rc.1' });
  for (const path of IMAGE_FILES) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(import.meta.dirname, '..', path), join(root, path));
  }
  writeImageVersion(root);
  for (const path of IMAGE_FILES) {
    const text = readFileSync(join(root, path), 'utf8');
    expect(text).toMatch(/(?:affkit:|newTag: )7\.8\.9-rc\.1\b/);
    expect(text).not.toMatch(/(?:affkit:|newTag: )(?!7\.8\.9-rc\.1)\d/);
  }
});

const RELEASE = { tag: 'v0.2.0', repository: 'shop/affkit' };

test('the notes of a release are the sections of its version, with absolute links', () => {
  const root = makeRoot({ core: '0.2.0', node: '0.2.0' });
  writeFileSync(
    join(root, 'CHANGELOG.md'),
    '# Changelog\n\n## 0.2.0\n\n- New: [payouts](docs/payouts.md#send)\n\n### Update\n\n- [npm](https://npmjs.com)\n\n## 0.2.0-rc.1\n\n- Old\n',
  );
  writeFileSync(
    join(root, 'packages/node/CHANGELOG.md'),
    '# @affkit/node\n\n## 0.2.0\n\n### Minor Changes\n\n- [Spool](../../docs/spool.md)\n\n## 0.1.0\n\n- Old\n',
  );
  const base = 'https://github.com/shop/affkit/blob/v0.2.0/docs';
  expect(writeReleaseNotes(root, RELEASE)).toBe(
    `- New: [payouts](${base}/payouts.md#send)\n\n### Update\n\n- [npm](https://npmjs.com/)\n\n## @affkit/node\n\n### Minor Changes\n\n- [Spool](${base}/spool.md)\n`,
  );
});

test('a version that no changelog describes has no notes', () => {
  const root = makeRoot({ core: '0.2.0' });
  writeFileSync(join(root, 'CHANGELOG.md'), '# Changelog\n\n## 0.1.0\n\n- Old\n');
  expect(() => writeReleaseNotes(root, RELEASE)).toThrow('No changelog has a section "## 0.2.0".');
});

test('the changelogs describe the current version', () => {
  const root = join(import.meta.dirname, '..');
  const { version } = read(root, 'core');
  expect(() => writeReleaseNotes(root, { ...RELEASE, tag: `v${version}` })).not.toThrow();
});
