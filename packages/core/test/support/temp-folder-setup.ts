import { tmpdir } from 'node:os';
import type { TestProject } from 'vitest/node';
import { allowsExecutables, createMemoryFolder, findMemoryFolder } from './temp-folder.ts';

/**
 * Makes the tests of a project create their temporary files in memory, if possible. On some disks, creating a file takes
 * a millisecond of CPU time, and an installed package has thousands of files. Tests that need a disk don't use this.
 */
export function setup(project: TestProject): (() => Promise<void>) | undefined {
  const memory = findMemoryFolder();
  if (memory === tmpdir() || !allowsExecutables(memory)) return undefined;
  const folder = createMemoryFolder('affkit-tests-');
  project.config.env = { ...project.config.env, TMPDIR: folder.path };
  return () => folder.delete();
}
