import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the sorted file names in a folder of a spool. */
export function filesIn(dir: string, folder: 'tmp' | 'ready' | 'dead'): string[] {
  return readdirSync(join(dir, folder)).sort();
}
