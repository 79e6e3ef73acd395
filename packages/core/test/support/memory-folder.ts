import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** More than a run of the tests has ever at once, in bytes: Postgres' log of a gigabyte, and some databases. */
const ROOM = 3 * 1024 ** 3;

/**
 * Where files of databases lie that need not outlive the machine: in memory where there is room, so that nothing waits
 * for a disk. Programs may not be allowed to run from there.
 */
export function findMemoryFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ROOM ? MEMORY : tmpdir();
}
