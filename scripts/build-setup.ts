import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildIfChanged, bundleServer, pack } from './build.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with a tarball of each package, as it would be published. */
    packedFolder: string;
  }
}

/**
 * Builds, once per run, the programs that tests start and the scripts that they load in a browser. Packs the
 * packages for the project `e2e`, which installs them.
 */
export async function setup(project: TestProject): Promise<(() => void) | undefined> {
  const provided: { packedFolder?: string } = project.getProvidedContext();
  if (provided.packedFolder !== undefined) return undefined;
  if ((await buildIfChanged()) !== 0) throw new Error('The packages could not be built');
  if ((await bundleServer()) !== 0) throw new Error('The server could not be bundled');
  if (project.name !== 'e2e') return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'affkit-packages-'));
  if ((await pack(folder)) !== 0) throw new Error('The packages could not be packed');
  project.vitest.provide('packedFolder', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
