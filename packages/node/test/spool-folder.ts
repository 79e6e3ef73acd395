import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates a folder that is removed when the test ends. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-spool-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the sorted file names in a folder of a spool. */
export function filesIn(dir: string, folder: 'tmp' | 'ready' | 'dead'): string[] {
  return readdirSync(join(dir, folder)).sort();
}
