import { Unavailable } from '../../../rejection.ts';

/**
 * `SQLITE_IOERR_SHMSIZE` means that there is no space for the shared-memory index of the write-ahead log.
 * 53100 is the code of `disk_full` in Postgres.
 */
const DISK_FULL_CODES: ReadonlySet<unknown> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', '53100']);

/**
 * If the disk is full, returns an `Unavailable` that says what to do. Returns any other error unchanged. The
 * write can be retried, because a transaction that fills the disk stores nothing.
 * @param database the name of the database in the message
 */
export function explainFullDisk(error: unknown, database: string): unknown {
  if (!(error instanceof Error && 'code' in error && DISK_FULL_CODES.has(error.code))) return error;
  return new Unavailable(`The disk of ${database} is full. Free up space; writes then resume automatically`, {
    cause: error,
  });
}
