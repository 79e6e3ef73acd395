import { Unavailable } from '../../../rejection.ts';

/** SQLITE_IOERR_SHMSIZE: the index of the log, beside it, finds no room. 53100: Postgres' disk_full. */
const FULL: ReadonlySet<unknown> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', '53100']);

/**
 * What an error of the database means to those who wait: where its disk is full, that it can't be used now, with what
 * to do; else the error as it is. Nothing of the transaction is stored.
 * @param database names it for the operator
 */
export function explainFullDisk(error: unknown, database: string): unknown {
  if (!(error instanceof Error && 'code' in error && FULL.has(error.code))) return error;
  return new Unavailable(`The disk of ${database} is full. Make room there: writing then goes on by itself`, {
    cause: error,
  });
}
