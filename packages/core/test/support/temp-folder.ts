import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGuard } from './guard.ts';

const SHARED_MEMORY = '/dev/shm';
/**
 * More bytes than a test run uses at any time. The write-ahead log of Postgres takes 1 GiB. A run also stores
 * databases, unpacked packages, and profiles of browsers.
 */
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

export interface TempFolder {
  readonly path: string;
  delete(): Promise<void>;
}

/** Creates a folder that is in memory if possible. It is deleted when this process dies, too. */
export function createMemoryFolder(prefix: string): TempFolder {
  const path = mkdtempSync(join(findMemoryFolder(), prefix));
  // A server that root starts as another user must be able to enter the folder.
  chmodSync(path, 0o755);
  const guard = startGuard('rm -rf "$1" || { sleep 1; rm -rf "$1"; }', path);
  return { path, delete: () => guard.end() };
}

/** Whether the system runs programs that are stored in the folder. */
export function allowsExecutables(folder: string): boolean {
  const own = mkdtempSync(join(folder, 'affkit-'));
  const program = join(own, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(own, { recursive: true });
  return status === 0;
}
