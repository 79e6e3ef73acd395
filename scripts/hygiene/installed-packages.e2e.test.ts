import { execFile } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeProject } from '../../packages/node/test/packed-project.ts';
import { embedInExpress, pathOf, startServerTwice } from './fresh-project.ts';
import { EXAMPLES, writeExamples } from './readmes.ts';

const run = promisify(execFile);

/** The oldest Node version that Affkit supports, and the latest versions of the newer supported release lines. */
describe.each(['22.22.0', '24', '26'])('on Node %s', (version) => {
  const { folder, project } = makeProject();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  let node = '';
  beforeAll(async () => {
    const print = ['node', '-p', 'process.execPath'];
    const { stdout } = await run('npx', ['--yes', `--package=node@${version}`, '--', ...print]);
    node = stdout.trim();
  });

  test('npm installs the packed packages with their dependencies', { timeout: 600_000 }, async () => {
    expect((await run(node, ['--version'])).stdout.split(/[v.\s]/)).toEqual(
      expect.arrayContaining(version.split('.')),
    );
    const packed = inject('packedFolder');
    const files = readdirSync(packed).map((file) => join(packed, file));
    expect(files).toHaveLength(7);
    const env = { ...process.env, PATH: pathOf(node) };
    await run('npm', ['install', '--no-audit', '--no-fund', ...files, 'express@5'], { cwd: project, env });
    writeExamples(project);
    expect(readdirSync(project)).toEqual(expect.arrayContaining(EXAMPLES));
  });

  test('npx starts the server twice', () => startServerTwice({ folder: project, node }));

  test('core runs in Express', () => embedInExpress({ folder: project, node }));
});
