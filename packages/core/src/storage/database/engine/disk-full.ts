import { Unavailable } from '../../../rejection.ts';

/**
 * `SQLITE_IOERR_SHMSIZE`: no space for the shared-memory index of the write-ahead log. 53100: `disk_full` of
 * Postgres.
 */
const DISK_FULL_CODES: ReadonlySet<unknown> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', '53100']);

/**
 * Returns an `Unavailable` that says what to do when the disk is full, and any other error unchanged. After a
 * full disk, nothing of the transaction is stored.
 * @param database how the message names the database
 */
export function explainFullDisk(error: unknown, database: string): unknown {
  if (!(error instanceof Error && 'code' in error && DISK_FULL_CODES.has(error.code))) return error;
  return new Unavailable(`The disk of ${database} is full. Free up space; writes then resume automatically`, {
    cause: error,
  });
}
