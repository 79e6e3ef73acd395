import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const SHARED_MEMORY = '/dev/shm';
/** More bytes than a test run uses at any time: 1 GiB for the write-ahead log of Postgres, and some databases. */
const REQUIRED_BYTES = 3 * 1024 ** 3;

/**
 * Returns a folder for temporary database files. The folder is in memory if there is enough space, so that tests
 * don't wait for a disk. The system may not allow executables in this folder.
 */
export function findMemoryFolder(): string {
  if (!existsSync(SHARED_MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  return bavail * bsize > REQUIRED_BYTES ? SHARED_MEMORY : tmpdir();
}
