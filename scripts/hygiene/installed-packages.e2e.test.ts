import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { makeProject, runProgram } from '../../packages/node/test/packed-project.ts';
import { EXAMPLES, writeExamples } from './readmes.ts';
import { embedInExpress, type Stranger, startServerTwice } from './stranger.ts';

/** The versions of Node that every package supports: the oldest one, and the latest one of the other line. */
describe.each(['22.22.0', '24'])('npm installs the packed packages on Node %s', (version) => {
  const through = ['npx', '--yes', `--package=node@${version}`, '--'] as const;
  const { folder, project } = makeProject();
  const stranger: Stranger = { project, through };
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('with their dependencies from the registry', { timeout: 600_000 }, async () => {
    const packed = inject('packedFolder');
    const files = readdirSync(packed).map((file) => join(packed, file));
    expect(files).toHaveLength(7);
    const [command, ...args] = through;
    await runProgram(
      project,
      command,
      ...args,
      'npm',
      'install',
      '--no-audit',
      '--no-fund',
      ...files,
      'express@5',
    );
    writeExamples(project);
    expect(readdirSync(project)).toEqual(expect.arrayContaining(EXAMPLES));
  });

  test('npx starts the server twice', { timeout: 300_000 }, () => startServerTwice(stranger));

  test('core runs in Express', { timeout: 300_000 }, () => embedInExpress(stranger));
});
