import { execFile } from 'node:child_process';
import { existsSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installPacked, makeProject } from '../../packages/node/test/packed-project.ts';
import { buildImage, type Image } from './container/build-image.ts';
import { sizeOf } from './container/file-system.ts';
import { runContainers } from './fresh-project.ts';
import { writeExamples } from './readmes.ts';

const run = promisify(execFile);
const MAX_BYTES = 250_000_000;
/** The highest exposure level that systemd may give the unit, in tenths. A service without hardening has 96. */
const MAX_EXPOSURE = 20;
const root = join(import.meta.dirname, '..', '..');

let folder = '';
let project = '';
let image: Image;

/** Executes the Dockerfile, which installs the workspace from the npm registry and builds it. */
beforeAll(async () => {
  ({ folder, project } = makeProject());
  await installPacked('node', project);
  writeExamples(project);
  image = await buildImage(root);
}, 3_600_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  image?.remove();
});

test('the image is smaller than 250 MB, and contains no tools, tests, or data of other platforms', async () => {
  expect(await sizeOf(image.folder)).toBeLessThan(MAX_BYTES);
  for (const path of ['usr/local/bin/npm', 'usr/local/lib/node_modules', 'src']) {
    expect(existsSync(join(image.folder, path))).toBe(false);
  }
  const modules = join(image.folder, 'app', 'node_modules', '.pnpm');
  const unneeded = [
    'typescript@*',
    'vite@*',
    'vitest@*',
    '*/**/*.test.{js,cjs,mjs,ts}',
    '*/**/*.d.ts',
    '*/**/*.js.map',
  ];
  expect(globSync(unneeded, { cwd: modules })).toEqual([]);
  const [platform, ...others] = globSync('better-sqlite3@*/node_modules/better-sqlite3/prebuilds/*', {
    cwd: modules,
  });
  expect(platform).toMatch(new RegExp(`/linux-${process.arch}\\.node$`));
  expect(others).toEqual([]);
});

test('containers with a read-only root file system record a sale, migrate, and keep the data', async () => {
  await runContainers({ folder: project, node: process.execPath }, image);
});

test('systemd reports no problem with the unit except a missing Node, and rates its exposure as low', async () => {
  const unit = join(root, 'deploy/systemd/affkit.service');
  const analyze = process.env['SYSTEMD_ANALYZE_PATH'] ?? 'systemd-analyze';
  const verified = await run(analyze, ['verify', unit]).catch((error: { stderr: string }) => error);
  const complaints = verified.stderr.split('\n').filter((line) => line.includes('affkit.service'));
  expect(complaints.filter((line) => !/Command \/usr\/bin\/node is not executable/.test(line))).toEqual([]);
  await run(analyze, ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, unit]);
});
